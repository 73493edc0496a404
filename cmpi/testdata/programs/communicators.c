/* Communicators, groups, attributes, intercommunicators, Cartesian topologies, info. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;
#define SAY(...) do { if (rank == 0) { printf(__VA_ARGS__); fflush(stdout); } } while (0)

static int sum(MPI_Comm c, int x) {
  int s;
  MPI_Allreduce(&x, &s, 1, MPI_INT, MPI_SUM, c);
  return s;
}

static void splits(void) {
  MPI_Comm even, back, dup, none;
  int r, n, result;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &even);
  MPI_Comm_size(even, &n);
  r = sum(even, rank);
  SAY("split %d, sum %d\n", n, r);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
  MPI_Comm_rank(back, &r);
  MPI_Comm_compare(MPI_COMM_WORLD, back, &result);
  SAY("backwards %d similar %d\n", r, result == MPI_SIMILAR);
  MPI_Comm_dup(even, &dup);
  MPI_Comm_compare(even, dup, &result);
  SAY("dup congruent %d\n", result == MPI_CONGRUENT);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? 0 : MPI_UNDEFINED, 0, &none);
  SAY("none %d\n", none == MPI_COMM_NULL);
  if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
  MPI_Comm_free(&even);
  MPI_Comm_free(&back);
  MPI_Comm_free(&dup);
}

static void groups(void) {
  MPI_Group world, some, rest, both, common;
  int ranks[] = {2, 0}, n, r, result, translated[2], range[1][3] = {{size - 1, 0, -1}};
  MPI_Comm c;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, ranks, &some);
  MPI_Group_excl(world, 2, ranks, &rest);
  MPI_Group_union(rest, some, &both);
  MPI_Group_intersection(both, some, &common);
  MPI_Group_size(both, &n);
  MPI_Group_compare(both, world, &result);
  MPI_Group_rank(some, &r);
  MPI_Group_translate_ranks(some, 2, (int[]){0, 1}, both, translated);
  SAY("groups %d %d %d, %d %d\n", n, result == MPI_SIMILAR || result == MPI_IDENT, r, translated[0], translated[1]);
  MPI_Group_compare(common, some, &result);
  MPI_Comm_create(MPI_COMM_WORLD, some, &c);
  if (c != MPI_COMM_NULL) {
    MPI_Comm_rank(c, &r);
    int s = sum(c, rank + 1);
    SAY("create %d %d %d\n", r, s, result);
    MPI_Comm_free(&c);
  }
  MPI_Group reversed;
  MPI_Group_range_incl(world, 1, range, &reversed);
  MPI_Group_rank(reversed, &r);
  SAY("range %d\n", r);
  if (rank % 2 == 0) {
    MPI_Group evens;
    int e[16], k = 0;
    for (int i = 0; i < size; i += 2) e[k++] = i;
    MPI_Group_incl(world, k, e, &evens);
    MPI_Comm_create_group(MPI_COMM_WORLD, evens, 5, &c);
    int s = sum(c, rank);
    SAY("create_group %d\n", s);
    MPI_Comm_free(&c);
    MPI_Group_free(&evens);
  }
  MPI_Group_difference(world, world, &c);
  SAY("empty %d\n", c == MPI_GROUP_EMPTY);
  MPI_Group_free(&world);
  MPI_Group_free(&some);
}

static int copies, deletes;
static int copy(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag) {
  copies++;
  *(void **)out = (char *)in + *(int *)extra;
  *flag = 1;
  return MPI_SUCCESS;
}
static int drop(MPI_Comm c, int key, void *value, void *extra) {
  deletes++;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key, by = 5, flag, *ub;
  void *v;
  MPI_Comm c;
  MPI_Comm_create_keyval(copy, drop, &key, &by);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)100);
  MPI_Comm_dup(MPI_COMM_WORLD, &c);
  MPI_Comm_get_attr(c, key, &v, &flag);
  SAY("attribute %ld %d\n", (long)v, flag);
  MPI_Comm_delete_attr(c, key);
  MPI_Comm_get_attr(c, key, &v, &flag);
  MPI_Comm_free(&c);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  SAY("then %d, copies %d deletes %d, invalid %d\n", flag, copies, deletes, key == MPI_KEYVAL_INVALID);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &flag);
  SAY("tags %d %d\n", flag, *ub >= 32767);
}

static void inter(void) {
  MPI_Comm half, both, merged;
  int colour = rank % 2, n, flag, x = rank * 11, y = -1, r;
  MPI_Status s;
  MPI_Comm_split(MPI_COMM_WORLD, colour, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - colour, 9, &both);
  MPI_Comm_remote_size(both, &n);
  MPI_Comm_test_inter(both, &flag);
  int mine, theirs = 0;
  MPI_Comm_rank(both, &mine);
  MPI_Comm_size(both, &r);
  if (mine < n && mine < r) {
    MPI_Sendrecv(&x, 1, MPI_INT, mine, 1, &y, 1, MPI_INT, MPI_ANY_SOURCE, 1, both, &s);
    theirs = s.MPI_SOURCE;
  }
  SAY("inter %d %d, from %d: %d\n", n, flag, theirs, y);
  MPI_Intercomm_merge(both, colour, &merged);
  MPI_Comm_rank(merged, &r);
  int total = sum(merged, rank);
  SAY("merged %d %d\n", r, total);
  MPI_Comm dup;
  MPI_Comm_dup(both, &dup);
  if (mine < n && mine < size / 2) MPI_Sendrecv(&x, 1, MPI_INT, mine, 1, &y, 1, MPI_INT, mine, 1, dup, &s);
  SAY("inter dup %d\n", y);
  int all = -1, told = rank == 1 ? 77 : -1;
  MPI_Barrier(both);
  MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, both);
  MPI_Bcast(&told, 1, MPI_INT, colour ? (mine ? MPI_PROC_NULL : MPI_ROOT) : 0, both);
  SAY("inter collectives %d %d\n", all, told);
  MPI_Comm parts;
  MPI_Comm_split(both, mine % 2, -rank, &parts);
  n = -1, r = -1;
  if (parts != MPI_COMM_NULL) {
    MPI_Comm_remote_size(parts, &n);
    MPI_Comm_rank(parts, &r);
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, parts);
    MPI_Comm_free(&parts);
  }
  SAY("inter split %d %d %d\n", n, r, all);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void grid(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], source, dest, r, n, status;
  MPI_Comm cart, rows;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Cart_coords(cart, rank, 2, coords);
  MPI_Cart_shift(cart, 0, 1, &source, &dest);
  SAY("cart %d %d at %d %d, shift %d %d\n", dims[0], dims[1], coords[0], coords[1], source, dest);
  MPI_Cart_shift(cart, 1, -1, &source, &dest);
  SAY("edge %d %d\n", source == MPI_PROC_NULL, dest == MPI_PROC_NULL);
  coords[0] = -1, coords[1] = 0;
  MPI_Cart_rank(cart, coords, &r);
  MPI_Cart_sub(cart, (int[]){0, 1}, &rows);
  MPI_Comm_size(rows, &n);
  MPI_Topo_test(rows, &status);
  SAY("rank %d, rows of %d, cart %d\n", r, n, status == MPI_CART);
  for (int p = 1; p <= 64; p++) {
    int d[3] = {0, 0, 0};
    MPI_Dims_create(p, 3, d);
    if (d[0] * d[1] * d[2] != p || d[0] < d[1] || d[1] < d[2]) SAY("dims of %d are wrong\n", p);
  }
  MPI_Comm_free(&rows);
  MPI_Comm_free(&cart);
}

static void info(void) {
  MPI_Info i, j;
  char value[64], key[MPI_MAX_INFO_KEY + 1];
  int flag, n, length;
  MPI_Info_create(&i);
  MPI_Info_set(i, "first", "1");
  MPI_Info_set(i, "second", "two");
  MPI_Info_set(i, "first", "one");
  MPI_Info_dup(i, &j);
  MPI_Info_delete(i, "second");
  MPI_Info_get(j, "first", 60, value, &flag);
  MPI_Info_get_nkeys(j, &n);
  MPI_Info_get_nthkey(j, 1, key);
  MPI_Info_get_valuelen(j, "second", &length, &flag);
  SAY("info %s %d %s %d %d\n", value, n, key, length, flag);
  MPI_Info_get(i, "second", 60, value, &flag);
  SAY("gone %d\n", flag);
  MPI_Info_free(&i);
  MPI_Info_free(&j);
}

static int caught;
static void catcher(MPI_Comm *c, int *code, ...) {
  MPI_Error_class(*code, &caught);
}

static void errors(void) {
  int x = 0, code, class_;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Errhandler h;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Send(&x, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &class_);
  MPI_Error_string(code, text, &x);
  SAY("errors %d %d\n", class_ == MPI_ERR_RANK, x > 0);
  MPI_Comm_create_errhandler(catcher, &h);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
  MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  SAY("caught %d\n", caught == MPI_ERR_COUNT);
  MPI_Errhandler_free(&h);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv) {
  char name[MPI_MAX_OBJECT_NAME];
  int n;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &n);
  SAY("%s %d\n", name, n);
  splits();
  groups();
  attributes();
  inter();
  grid();
  info();
  errors();
  MPI_Finalize();
  return 0;
}
