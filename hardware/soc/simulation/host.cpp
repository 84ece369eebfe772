/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace
{

constexpr uint32_t FAILED = UINT32_MAX;
enum Call : uint32_t { OPEN = 0x01, WRITE = 0x05, READ = 0x06, GET_COMMAND_LINE = 0x15 };

uint32_t open_file(const uint32_t *parameters, const Memory &memory)
{
    const uint8_t *path = memory.at(parameters[0], parameters[2]);
    if (path == nullptr) {
        return FAILED;
    }
    bool writes = parameters[1] >= 4; /* the modes of fopen, in the order r rb r+ r+b w wb ... */
    int flags = writes ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY;
    std::string name(reinterpret_cast<const char *>(path), parameters[2]);
    return static_cast<uint32_t>(open(name.c_str(), flags | O_CLOEXEC, 0666));
}

/* Both answer how many bytes are left to do. */
uint32_t transfer(bool writes, const uint32_t *parameters, const Memory &memory)
{
    int file = static_cast<int>(parameters[0]);
    uint32_t left = parameters[2];
    uint8_t *data = memory.at(parameters[1], left);
    while (data != nullptr && left != 0) {
        ssize_t done = writes ? write(file, data, left) : read(file, data, left);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            break;
        }
        data += done;
        left -= static_cast<uint32_t>(done);
    }
    return left;
}

uint32_t command_line_write(uint32_t *parameters, const Memory &memory, const std::string &command_line)
{
    uint32_t length = static_cast<uint32_t>(command_line.size());
    uint8_t *to = memory.at(parameters[0], parameters[1]);
    if (to == nullptr || length >= parameters[1]) {
        return FAILED;
    }
    std::memcpy(to, command_line.c_str(), length + 1);
    parameters[1] = length;
    return 0;
}

/* `count` words at an address, or nullptr. */
uint32_t *words_at(const Memory &memory, uint32_t address, size_t count)
{
    uint8_t *found = address % sizeof(uint32_t) == 0 ? memory.at(address, count * sizeof(uint32_t)) : nullptr;
    return reinterpret_cast<uint32_t *>(found);
}

uint32_t call_made(uint32_t call, uint32_t *parameters, const Memory &memory, const std::string &command_line)
{
    switch (call) {
    case OPEN:
        return open_file(parameters, memory);
    case WRITE:
    case READ:
        return transfer(call == WRITE, parameters, memory);
    case GET_COMMAND_LINE:
        return command_line_write(parameters, memory, command_line);
    default:
        return FAILED;
    }
}

} // namespace

void host_call(uint32_t address, const Memory &memory, const std::string &command_line)
{
    uint32_t *call = words_at(memory, address, 3);
    if (call != nullptr) {
        uint32_t *parameters = words_at(memory, call[1], call[0] == GET_COMMAND_LINE ? 2 : 3);
        call[2] = parameters != nullptr ? call_made(call[0], parameters, memory, command_line) : FAILED;
    }
}
