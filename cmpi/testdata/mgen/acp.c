/* Copies and atomic operations on the memory of other ranks. */
#include <acp.h>
#include <fabricast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition) \
  if (!(condition)) { \
    printf("rank %d, line %d: %s\n", acp_rank(), __LINE__, #condition); \
    exit(1); \
  }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static long memory[8] = {0, 0, 0, 0, 0, 0, 0, 0};
static volatile int flag;

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int me = acp_rank(), n = acp_procs(), next = (me + 1) % n;
  acp_atkey_t key = acp_register_memory(memory, sizeof memory, 0), flag_key = acp_register_memory((void *)&flag, sizeof flag, 0);
  acp_ga_t mine = acp_query_ga(key, memory);
  CHECK(acp_query_rank(mine) == me && acp_query_address(mine + 8) == &memory[1]);
  CHECK(acp_query_ga(key, memory + 8) == ACP_GA_NULL && acp_query_address(acp_query_starter_ga(next)) == NULL);

  /* Addresses go by the starter memory. */
  acp_ga_t *starter = acp_query_address(acp_query_starter_ga(me));
  starter[0] = mine, starter[1] = acp_query_ga(flag_key, (void *)&flag);
  acp_sync();
  acp_ga_t scratch = acp_query_starter_ga(me) + 64;
  acp_complete(acp_copy(scratch, acp_query_starter_ga(next), 16, ACP_HANDLE_NULL));
  acp_ga_t theirs = starter[8], their_flag = starter[9];
  CHECK(acp_query_rank(theirs) == next);

  /* A put, a get after it, and a copy between two others. */
  memory[0] = 100 + me;
  acp_handle_t put = acp_copy(theirs + 8, mine, 8, ACP_HANDLE_NULL);
  acp_handle_t get = acp_copy(mine + 16, theirs + 8, 8, put);
  CHECK(get > put);
  acp_complete(get);
  CHECK(acp_inquire(ACP_HANDLE_ALL) == 0);
  CHECK(memory[2] == 100 + me);
  acp_sync();
  CHECK(memory[1] == 100 + (me + n - 1) % n);
  acp_complete(acp_copy(theirs + 24, theirs, 8, ACP_HANDLE_CONT));
  acp_sync();
  CHECK(memory[3] == 100 + me);

  /* Everybody changes the words of rank 0. */
  acp_ga_t first = acp_query_starter_ga(0) + 128;
  acp_complete(acp_add8(mine + 32, first, 5, ACP_HANDLE_NULL));
  CHECK(memory[4] % 5 == 0 && memory[4] < 5 * n);
  acp_complete(acp_or4(mine + 32, first + 8, 1u << me, ACP_HANDLE_NULL));
  acp_complete(acp_xor8(mine + 32, first + 16, 1ul << me, ACP_HANDLE_NULL));
  acp_sync();
  acp_complete(acp_and8(mine + 32, first + 16, ~(1ul << me), ACP_HANDLE_NULL));
  acp_handle_t cas = acp_cas8(mine + 40, first + 24, 0, me + 1, ACP_HANDLE_NULL);
  acp_complete(ACP_HANDLE_ALL);
  CHECK((memory[5] == 0) + (memory[5] > 0 && memory[5] <= n) == 1);
  acp_sync();
  CHECK(acp_inquire(cas) == 0);
  if (me == 0) {
    char *words = (char *)starter + 128;
    CHECK(*(long *)words == 5 * n && *(unsigned *)(words + 8) == (1u << n) - 1 && *(long *)(words + 16) == 0);
    CHECK(*(long *)(words + 24) >= 1 && *(long *)(words + 24) <= n);
  }

  /* A flag in one's own memory. */
  memory[6] = 1;
  acp_handle_t raised = acp_copy(their_flag, mine + 48, 4, ACP_HANDLE_ALL);
  while (!flag) Fabricast_Yield();
  acp_complete(raised);
  acp_handle_t swap = acp_swap4(mine + 56, their_flag, 7, ACP_HANDLE_NULL);
  while (acp_inquire(swap)) continue;
  acp_sync();
  CHECK(flag == 7 && acp_unregister_memory(flag_key) == 0 && acp_unregister_memory(flag_key) == -1);

  /* A chain: fetched, passed on, and fetched again by way of two others, while the rank goes on. */
  static long chain[1 << 16];
  acp_atkey_t chain_key = acp_register_memory(chain, sizeof chain, 0);
  acp_ga_t first_link = acp_query_ga(chain_key, chain);
  starter[0] = first_link, chain[0] = 1000 + me;
  acp_sync();
  acp_complete(acp_copy(scratch, acp_query_starter_ga(next), 8, ACP_HANDLE_NULL));
  acp_complete(acp_copy(scratch + 8, acp_query_starter_ga((me + 2) % n), 8, ACP_HANDLE_NULL));
  acp_ga_t one = starter[8], two = starter[9];
  double before = now();
  acp_handle_t long_one = acp_copy(one + sizeof chain / 2, first_link, sizeof chain / 2, ACP_HANDLE_NULL);
  acp_handle_t fetched = acp_copy(first_link + 8, one, 8, long_one);
  acp_handle_t passed = acp_copy(two + 16, first_link + 8, 8, fetched);
  acp_handle_t between = acp_copy(two + 24, one, 8, passed);
  acp_handle_t counted = acp_add8(two + 40, one + 32, 7, ACP_HANDLE_ALL);
  double called = now() - before;
  CHECK(long_one < fetched && fetched < passed && passed < between && between < counted);
  CHECK(acp_inquire(counted) == 1 && chain[1] == 0);
  acp_complete(passed);
  CHECK(chain[1] == 1000 + next);
  acp_complete(counted);
  CHECK(called * 5 < now() - before); /* calls have not waited */
  acp_sync();
  CHECK(chain[2] == 1000 + (me + n - 1) % n && chain[3] == 1000 + (me + n - 1) % n && chain[4] == 7 && chain[5] == 0);
  printf("rank %d of %d is done\n", me, n);
  return acp_finalize();
}
