/* One-sided operations that a rank has started outside of windows, by number. */
#ifndef FABRICAST_ACCESS_H
#define FABRICAST_ACCESS_H

#include "fabricast.h"
#include "state.h"

typedef struct fc_accesses {
  fc_request **ring; /* by number modulo room; null: complete */
  int64_t first, next, room; /* first: none below is open; the first number is 1 */
} fc_accesses;

/* Operations that are carried out one after the other, while the rank goes on. */
typedef struct {
  fc_call call;
  fc_op ops[2];
  int n;
  fc_request **after; /* what must be complete before */
  char memory[];      /* that they need */
} fc_sequence;

int64_t fc_access_start(fc_rank *r, fc_op op);
int64_t fc_access_follow(fc_rank *r, fc_sequence *s, int64_t last);
void fc_access_known(fc_rank *r, int64_t number);
int fc_access_open(fc_rank *r, int64_t last);
void fc_access_complete(fc_rank *r, int64_t first, int64_t last);
int fc_access_test(fc_rank *r, int64_t last);
int64_t fc_options_word(const Fabricast_Options *o);

#endif
