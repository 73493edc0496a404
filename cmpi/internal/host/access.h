/* One-sided operations that a rank has started outside of windows, by number. */
#ifndef FABRICAST_ACCESS_H
#define FABRICAST_ACCESS_H

#include "fabricast.h"
#include "state.h"

typedef struct fc_accesses {
  fc_request **ring; /* by number modulo room; null: complete */
  int64_t first, next, room; /* first: none below is open; the first number is 1 */
} fc_accesses;

int64_t fc_access_start(fc_rank *r, fc_op op);
void fc_access_complete(fc_rank *r, int64_t first, int64_t last);
int fc_access_test(fc_rank *r, int64_t last);
int64_t fc_options_word(const Fabricast_Options *o);

#endif
