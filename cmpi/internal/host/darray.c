//go:build linux && (amd64 || arm64)

/* Datatypes that are found by what is asked of them: a rank's part of a distributed array, Fortran's numbers
 * by their precision. */
#include "state.h"

/* --- Distributed arrays --- */

/* Which elements of a dimension are a process's: in blocks that are dealt out in turn. */
typedef struct {
  int64_t size, block, first, step; /* elements; step: from a block to the next */
} deal;

static int dealt(fc_rank *r, int size, int distribution, int argument, int processes, int at, deal *d) {
  int64_t block = size;
  if (distribution == MPI_DISTRIBUTE_BLOCK)
    block = argument == MPI_DISTRIBUTE_DFLT_DARG ? (size + processes - 1) / processes : argument;
  else if (distribution == MPI_DISTRIBUTE_CYCLIC)
    block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
  else
    REQUIRE(distribution == MPI_DISTRIBUTE_NONE && processes == 1, MPI_COMM_WORLD, MPI_ERR_ARG, "found distribution %d on %d processes", distribution, processes);
  REQUIRE(block > 0, MPI_COMM_WORLD, MPI_ERR_ARG, "found blocks of %ld elements", (long)block);
  REQUIRE(distribution != MPI_DISTRIBUTE_BLOCK || block * processes >= size, MPI_COMM_WORLD, MPI_ERR_ARG, "%d blocks of %ld are less than %d elements",
          processes, (long)block, size);
  *d = (deal){size, block, at * block, block * processes};
  return MPI_SUCCESS;
}

/* Runs of elements, as they are found. */
typedef struct {
  MPI_Aint *places;
  int *lengths, n, room;
} runs;

static void run(runs *l, MPI_Aint place, int length) {
  if (l->n == l->room) {
    l->room = l->room ? 2 * l->room : 16;
    l->places = realloc(l->places, l->room * sizeof *l->places);
    l->lengths = realloc(l->lengths, l->room * sizeof *l->lengths);
  }
  l->places[l->n] = place, l->lengths[l->n++] = length;
}

/* Goes through the dimensions, the slowest first; span is how many elements one of this dimension stands for. */
static void walk(runs *l, const deal *d, int n, int64_t at, int64_t span) {
  span /= d->size;
  for (int64_t b = d->first; b < d->size; b += d->step) {
    int64_t end = b + d->block < d->size ? b + d->block : d->size;
    if (n == 1) {
      run(l, at + b, end - b);
      continue;
    }
    for (int64_t i = b; i < end; i++) walk(l, d + 1, n - 1, at + i * span, span);
  }
}

static int *recorded(int n1, int n2, int n3, const int *lists[4], int n, int order) {
  int *l = malloc((4 * n + 4) * sizeof *l), at = 0;
  l[at++] = n1, l[at++] = n2, l[at++] = n3;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < n; i++) l[at++] = lists[k][i];
  l[at] = order;
  return l;
}

int MPI_Type_create_darray(int size, int rank, int n, const int *sizes, const int *distributions, const int *arguments, const int *processes, int order,
                           MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_darray);
  TOLD(newtype);
  TYPE(o, oldtype);
  REQUIRE(n > 0 && n <= 64, MPI_COMM_WORLD, MPI_ERR_DIMS, "found %d dimensions", n);
  REQUIRE(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, MPI_COMM_WORLD, MPI_ERR_ARG, "found order %d", order);
  REQUIRE(rank >= 0 && rank < size, MPI_COMM_WORLD, MPI_ERR_RANK, "found rank %d, expected 0 to %d", rank, size - 1);
  deal deals[64];
  int64_t total = 1;
  for (int i = n - 1, rest = rank; i >= 0; i--) {
    REQUIRE(sizes[i] > 0 && processes[i] > 0, MPI_COMM_WORLD, MPI_ERR_ARG, "dimension %d: %d elements on %d processes", i, sizes[i], processes[i]);
    int code = dealt(r, sizes[i], distributions[i], arguments[i], processes[i], rest % processes[i], &deals[order == MPI_ORDER_C ? i : n - 1 - i]);
    if (code) return code;
    rest /= processes[i];
    total *= sizes[i];
  }
  runs l = {0};
  walk(&l, deals, n, 0, total);
  for (int i = 0; i < l.n; i++) l.places[i] *= fc_extent(o);
  int code = MPI_Type_create_hindexed(l.n, l.lengths, l.places, oldtype, newtype);
  free(l.places), free(l.lengths);
  if (code) return code;
  fc_type *t = fc_type_of(r, *newtype);
  t->lb = 0, t->ub = total * fc_extent(o), t->explicit_lb = t->explicit_ub = 1;
  if (t->size != fc_extent(t)) t->contiguous = 0;
  free(t->integers), free(t->addresses);
  const int *lists[4] = {sizes, distributions, arguments, processes};
  t->combiner = MPI_COMBINER_DARRAY, t->naddresses = 0, t->addresses = 0;
  t->nintegers = 4 * n + 4, t->integers = recorded(size, rank, n, lists, n, order);
  return MPI_SUCCESS;
}

/* --- Fortran's numbers --- */

/* The type of a precision and range that has been asked for; asking again gives the same one. */
static int numeric(fc_rank *r, int combiner, int precision, int range, MPI_Datatype base, MPI_Datatype *made) {
  fc_state *s = r->mpi;
  for (int i = 0; i < s->nnumbers; i++) {
    fc_type *t = fc_type_of(r, s->numbers[i]);
    if (t->combiner == combiner && t->integers[0] == precision && t->integers[t->nintegers - 1] == range) {
      *made = t->handle;
      return MPI_SUCCESS;
    }
  }
  int code = MPI_Type_dup(base, made);
  if (code) return code;
  fc_type *t = fc_type_of(r, *made);
  t->elementary = base & 0xff, t->combiner = combiner, t->ntypes = 0;
  t->nintegers = combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2, t->integers = malloc(2 * sizeof *t->integers);
  t->integers[0] = precision, t->integers[t->nintegers - 1] = range;
  s->numbers = realloc(s->numbers, (s->nnumbers + 1) * sizeof *s->numbers);
  s->numbers[s->nnumbers++] = *made;
  return MPI_SUCCESS;
}

static int real(fc_rank *r, int combiner, int precision, int range, const MPI_Datatype kinds[3], MPI_Datatype *made) {
  static const struct { int precision, range; } limits[] = {{6, 37}, {15, 307}, {33, 4931}};
  for (int i = 0; i < 3; i++)
    if ((precision == MPI_UNDEFINED || precision <= limits[i].precision) && (range == MPI_UNDEFINED || range <= limits[i].range))
      return numeric(r, combiner, precision, range, kinds[i], made);
  *made = MPI_DATATYPE_NULL;
  return fc_error(r, MPI_COMM_WORLD, MPI_ERR_ARG, "no number has %d digits and a range of %d", precision, range);
}

int MPI_Type_create_f90_real(int precision, int range, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_f90_real);
  TOLD(newtype);
  static const MPI_Datatype kinds[] = {MPI_REAL4, MPI_REAL8, MPI_REAL16};
  return real(r, MPI_COMBINER_F90_REAL, precision, range, kinds, newtype);
}
int MPI_Type_create_f90_complex(int precision, int range, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_f90_complex);
  TOLD(newtype);
  static const MPI_Datatype kinds[] = {MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32};
  return real(r, MPI_COMBINER_F90_COMPLEX, precision, range, kinds, newtype);
}
int MPI_Type_create_f90_integer(int range, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_f90_integer);
  TOLD(newtype);
  static const struct { int range; MPI_Datatype type; } kinds[] = {{2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}};
  for (int i = 0; i < 4; i++)
    if (range <= kinds[i].range) return numeric(r, MPI_COMBINER_F90_INTEGER, range, range, kinds[i].type, newtype);
  *newtype = MPI_DATATYPE_NULL;
  return fc_error(r, MPI_COMM_WORLD, MPI_ERR_ARG, "no integer has a range of %d", range);
}
