/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: one that is read, what is said of others, and that nothing happens with what is none. */
#include "base/test/check.h"
#include "reflect/linux/server/plan.h"

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"
#define HEAD "takt-reflectd 1\nnode a 127.0.0.1 7411\nlink 100000000 1500 500000 0 1392\npriority 50\n"
#define SENDER "sender 7 pose where 24 async every 1000000 500000 3 "
#define RECEIVER "receiver 9 view there 64000 8 1 2 3 ::1 7412 1 "

static char text[4096];
static struct taktr_plan plan;

static bool reads(const char *words)
{
    size_t length = strlen(words);
    memcpy(text, words, length);
    return taktr_plan_read(&plan, text, length);
}

static void test_read(void)
{
    CHECK(reads(HEAD SENDER KEY "0 " KEY "1\nrefused 7 30 20 3\njitter 7 1000000 8\ngroup 7 5 6 0\n" RECEIVER "-\n"
                                "receiver 10 other there 64000 8 0 0 0 127.0.0.1 7412 0 " KEY "2 " KEY "3\nend\n"));
    CHECK_TEXT(plan.node, "a");
    CHECK(plan.link.rate_bps == 100000000 && plan.link.mtu == 1500 && plan.link.burst_ns == 500000 && !plan.link.ipv6);
    CHECK(plan.block == 1392 && plan.priority == 50 && plan.sender_count == 1 && plan.receiver_count == 2);
    const struct taktr_plan_sender *sender = plan.senders;
    CHECK_TEXT(sender->name, "pose");
    CHECK_TEXT(sender->area, "where");
    CHECK(sender->channel == 7 && sender->size == 24 && sender->kind == TAKT_PUSH_ASYNC && sender->every);
    CHECK(sender->period_ns == 1000000 && sender->promotion_ns == 500000 && sender->level == 3 && sender->keyed);
    CHECK(sender->keys.to_reader.bytes[0] == 1 && sender->keys.to_reader.bytes[31] == 0xe0);
    CHECK(sender->keys.to_writer.bytes[31] == 0xe1);
    CHECK(sender->refusal.answer.verdict == TAKT_WIRE_REFUSED && sender->refusal.answer.left == 30);
    CHECK(sender->jitter_ns == 1000000 && sender->delay_ns == 8 && sender->group == 5 && sender->pause_ns == 6 &&
          sender->stopped);
    CHECK(sender->refusal.answer.right == 20 && sender->refusal.answer.inequality == 3);
    const struct taktr_plan_receiver *receiver = plan.receivers;
    CHECK_TEXT(receiver->name, "view");
    CHECK_TEXT(receiver->area, "there");
    CHECK(receiver->channel == 9 && receiver->shape.size == 64000 && receiver->shape.depth == 8 && receiver->active);
    CHECK(receiver->period_ns == 1 && receiver->deadline_ns == 2 && receiver->pause_ns == 3 && !receiver->keyed);
    CHECK(receiver->writer.length == 28 && receiver[1].writer.length == 16 && receiver[1].keyed && !receiver[1].active);
    taktr_plan_free(&plan);
}

static void test_refused(void)
{
    static const struct {
        const char *plan, *why;
    } cases[] = {
        {"", "line 0 of the plan: the plan is incomplete"},
        {HEAD, "line 4 of the plan: the plan is incomplete"},
        {HEAD "end", "line 5 of the plan: the plan is incomplete"},
        {"takt-reflectd 2\n", "line 1 of the plan: the plan has another version"},
        {"node a 127.0.0.1 7411\n", "line 1 of the plan: this line is not allowed at this point"},
        {HEAD "priority 50\n", "line 5 of the plan: this line is not allowed at this point"},
        {HEAD "\n", "line 5 of the plan: not a line of a plan"},
        {HEAD "ends\n", "line 5 of the plan: not a line of a plan"},
        {HEAD "end 1\n", "line 5 of the plan: wrong number of words"},
        {HEAD SENDER "\nend\n", "line 5 of the plan: wrong number of words"},
        {HEAD SENDER "- - - - -\nend\n", "line 5 of the plan: wrong number of words"},
        {HEAD SENDER "+\nend\n", "line 5 of the plan: neither `-` nor two keys"},
        {HEAD SENDER KEY "0 " KEY "g\nend\n", "line 5 of the plan: not two keys of 64 hexadecimal digits"},
        {HEAD SENDER KEY "0 " KEY "\nend\n", "line 5 of the plan: not two keys of 64 hexadecimal digits"},
        {HEAD SENDER "-\n" SENDER "-\nend\n", "line 6 of the plan: channels are not in ascending order"},
        {HEAD RECEIVER "-\n" RECEIVER "-\nend\n", "line 6 of the plan: channels are not in ascending order"},
        {HEAD "refused 7 30 20 3\nend\n", "line 5 of the plan: it must follow the line of its sender"},
        {HEAD "jitter 7 1 0\nend\n", "line 5 of the plan: it must follow the line of its sender"},
        {HEAD SENDER "-\njitter 7 1000001 0\nend\n", "line 6 of the plan: not a valid number: sender->jitter_ns"},
        {HEAD SENDER "-\ngroup 8 1 0 0\nend\n", "line 6 of the plan: it must follow the line of its sender"},
        {HEAD SENDER "-\ngroup 7 1 0 2\nend\n", "line 6 of the plan: not a valid number: started"},
        {HEAD SENDER "-\nrefused 8 30 20 3\nend\n", "line 6 of the plan: it must follow the line of its sender"},
        {HEAD "sender 7 .pose where 24 async every 1 0 3 -\n", "line 5 of the plan: not a valid name"},
        {HEAD "sender 7 pose where 24 often every 1 0 3 -\n",
         "line 5 of the plan: not one of the words that are allowed"},
        {HEAD "sender 7 pose where 0 async every 1 0 3 -\n", "line 5 of the plan: not a valid number: sender->size"},
        {HEAD "sender 7 pose where 24 async every 0 0 3 -\n",
         "line 5 of the plan: not a valid number: sender->period_ns"},
        {HEAD "sender 4294967296 pose where 24 async every 1 0 3 -\n",
         "line 5 of the plan: not a valid number: sender->channel"},
        {HEAD "sender 18446744073709551616 pose where 24 async every 1 0 3 -\n",
         "line 5 of the plan: not a valid number: sender->channel"},
        {HEAD "sender 7 pose where 24 async every -1 0 3 -\n",
         "line 5 of the plan: not a valid number: sender->period_ns"},
        {HEAD "receiver 9 view there 64000 8 1 2 3 localhost 7412 1 -\n", "line 5 of the plan: not an address"},
        {HEAD "receiver 9 view there 64000 8 1 2 3 ::1 65536 1 -\n", "line 5 of the plan: not a valid number: port"},
        {HEAD "receiver 9 view there 64000 8 1 2 3 10.0.0.1 7412 1 -\nend\n",
         "line 6 of the plan: channels to another machine without keys"},
        {HEAD "receiver 9 view there 64000 8 1 2 3 ::2 7412 1 -\nend\n",
         "line 6 of the plan: channels to another machine without keys"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!reads(cases[i].plan));
        CHECK_TEXT(takt_reflect_error(), cases[i].why);
        CHECK(plan.senders == NULL && plan.receivers == NULL);
    }
    CHECK(reads(HEAD "receiver 9 view there 64000 8 1 2 3 10.0.0.1 7412 1 " KEY "0 " KEY "1\nend\n"));
    taktr_plan_free(&plan);
}

/* A good plan that is cut, or has other bytes in it: it is read or not, and neither touches what is not its own. */
static void test_random(void)
{
    static const char good[] =
        HEAD SENDER KEY "0 " KEY "1\nrefused 7 30 20 3\njitter 7 1000000 8\ngroup 7 5 6 0\n" RECEIVER "-\nend\n";
    uint64_t state = check_seed();
    unsigned long read = 0;
    unsigned long cases = check_cases(3000);
    for (unsigned long i = 0; i < cases; i++) {
        size_t length = i % 2 == 0 ? check_random(&state) % sizeof good : sizeof good - 1;
        char *exact = malloc(length + (length == 0)); /* so that the sanitizer sees its end */
        CHECK(exact != NULL);
        memcpy(exact, good, length);
        for (unsigned changes = (unsigned)(check_random(&state) % 3); changes > 0 && length > 0; changes--) {
            exact[check_random(&state) % length] = (char)check_random(&state);
        }
        bool is_read = taktr_plan_read(&plan, exact, length);
        read += is_read;
        if (is_read) {
            taktr_plan_free(&plan);
        }
        free(exact);
    }
    CHECK(read > 0 && read < cases);
}

int main(void)
{
    test_read();
    test_refused();
    test_random();
    return 0;
}
