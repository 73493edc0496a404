//go:build linux && (amd64 || arm64)

/* Array sections of Fortran as buffers: a datatype is made that describes where their elements lie. */
#include "section.h"

#include "fortran.h"
#include "state.h"

static int in_one_piece(const fc_array *a) {
  ptrdiff_t next = (ptrdiff_t)a->element;
  for (int i = 0; i < a->rank && a->dim[i].extent >= 0; i++) {
    if (a->dim[i].extent > 1 && a->dim[i].stride != next) return 0;
    next *= a->dim[i].extent;
  }
  return 1;
}

/* fc_section_begin is the buffer that an array is. What is wrong is told by the function that gets it. */
fc_section fc_section_begin(const fc_array *a, int count, MPI_Datatype type) {
  fc_rank *r = fc_current();
  fc_section s = {fc_buffer_of(a->base), count, type, 0};
  if (in_one_piece(a) || count <= 0 || !r->mpi || s.base == MPI_BOTTOM || !fc_type_of(r, type)) return s;
  s.type = fc_type_of_section(r, a, count, type), s.count = 1, s.made = 1;
  return s;
}

void fc_section_end(fc_section *s) {
  fc_rank *r = fc_current();
  if (s->made) fc_type_use(r, fc_type_of(r, s->type), -1); /* whoever still needs it has said so */
}

/* fc_whole_array is for buffers that cannot be sections. */
void *fc_whole_array(const char *function, const char *argument, const fc_array *a) {
  if (in_one_piece(a)) return fc_buffer_of(a->base);
  fc_rank *r = fc_enter_any_time(function);
  fc_fail(r, "found an array section with gaps as %s, expected an array in one piece: this function cannot take sections", argument);
}
