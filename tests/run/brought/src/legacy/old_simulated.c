/* SPDX-License-Identifier: Apache-2.0 */
#error "only for the simulator of its first authors"
