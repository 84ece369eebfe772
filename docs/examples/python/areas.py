# SPDX-License-Identifier: Apache-2.0
import struct

from takt.reflect.areas import Reader, Writer

with Writer("speed", size=8) as writer, Reader("speed") as reader:
    writer.write(struct.pack("<d", 1.5))
    if reader.wait(timeout_s=1.0):
        value = reader.take()
        print("value", value.number, "is", struct.unpack("<d", value.data)[0])
