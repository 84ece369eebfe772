# SPDX-License-Identifier: Apache-2.0
"""The files of an application: what is written for CMake, and the archives that it is linked with."""
