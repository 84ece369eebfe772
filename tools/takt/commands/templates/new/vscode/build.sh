# SPDX-License-Identifier: Apache-2.0
# Builds, and links the image and its compile commands here, for the debugger and for clangd.
set -eu
cd "$(dirname "$0")/.."
said=$("@ROOT@/takt" build . "$@") || { code=$? && printf '%s\n' "$said" && exit "$code"; }
printf '%s\n' "$said"
image=$(printf '%s\n' "$said" | grep -oE '[^ :]*/application(\.elf)?' | head -n 1)
folder=$(cd "$(dirname "$image")" && pwd)
ln -sfn "$folder/${image##*/}" .vscode/application.elf
ln -sfn "$folder/compile_commands.json" .vscode/compile_commands.json
