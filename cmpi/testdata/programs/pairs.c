/* MPI_MINLOC and MPI_MAXLOC on windows, with types that are made of pairs at either end. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
typedef struct { double x; int k; } di;
typedef struct { short x; int k; } si;
int main(int c, char **v) {
  MPI_Init(&c, &v);
  int rank, size; MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);
  di mem[12], mine[12], got[12]; int m2[16], i2[16], g2[16]; si sm[6], so[6];
  MPI_Win w, w2, w3;
  MPI_Datatype two, gaps, c2, s3, row;
  MPI_Type_contiguous(2, MPI_DOUBLE_INT, &two); MPI_Type_vector(3, 1, 2, MPI_DOUBLE_INT, &gaps); MPI_Type_contiguous(3, MPI_2INT, &c2); MPI_Type_contiguous(3, MPI_SHORT_INT, &s3);
  MPI_Type_vector(2, 2, 3, two, &row);
  MPI_Type_commit(&two); MPI_Type_commit(&gaps); MPI_Type_commit(&c2); MPI_Type_commit(&s3); MPI_Type_commit(&row);
  memset(mem,0,sizeof mem); memset(got,0,sizeof got); memset(mine,0,sizeof mine);
  for (int i = 0; i < 12; i++) mem[i].x = 5, mem[i].k = 100, mine[i].x = (rank * 7 + i * 3) % 11, mine[i].k = 10 * rank + i;
  for (int i = 0; i < 16; i++) m2[i] = 6, i2[i] = i % 2 ? rank : (rank * 5 + i) % 13, g2[i] = -1;
  memset(sm, 0, sizeof sm); memset(so, 0, sizeof so);
  for (int i = 0; i < 6; i++) sm[i].x = 4, sm[i].k = 50, so[i].x = (rank + i) % 9, so[i].k = rank;
  MPI_Win_create(mem, sizeof mem, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
  MPI_Win_create(m2, sizeof m2, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w2);
  MPI_Win_create(sm, sizeof sm, sizeof(si), MPI_INFO_NULL, MPI_COMM_WORLD, &w3);
  MPI_Win_fence(0, w); MPI_Win_fence(0, w2); MPI_Win_fence(0, w3);
  MPI_Accumulate(mine, 1, two, 0, 0, 2, MPI_DOUBLE_INT, MPI_MINLOC, w);
  MPI_Accumulate(mine, 3, MPI_DOUBLE_INT, 1, 0, 1, gaps, MPI_MAXLOC, w);
  MPI_Accumulate(mine, 1, gaps, 2, 16, 3, MPI_DOUBLE_INT, MPI_MINLOC, w);
  MPI_Accumulate(mine, 4, two, 3, 0, 1, row, MPI_MAXLOC, w);
  MPI_Accumulate(i2, 1, c2, 0, 0, 3, MPI_2INT, MPI_MINLOC, w2);
  MPI_Accumulate(i2, 1, c2, 1, 2, 1, c2, MPI_MAXLOC, w2);
  MPI_Accumulate(so, 2, s3, 2, 0, 2, s3, MPI_MAXLOC, w3);
  MPI_Win_fence(0, w); MPI_Win_fence(0, w2); MPI_Win_fence(0, w3);
  if (rank == 0) MPI_Get_accumulate(mine + 2, 2, two, got, 4, MPI_DOUBLE_INT, 3, 0, 4, MPI_DOUBLE_INT, MPI_MINLOC, w);
  if (rank == 1) MPI_Get_accumulate(i2, 3, MPI_2INT, g2, 1, c2, 3, 0, 1, c2, MPI_MAXLOC, w2);
  if (rank == 2) MPI_Get_accumulate(0, 0, MPI_INT, got, 1, gaps, 1, 0, 3, MPI_DOUBLE_INT, MPI_NO_OP, w);
  if (rank == 3) MPI_Get_accumulate(mine, 1, gaps, got, 3, MPI_DOUBLE_INT, 0, 96, 1, gaps, MPI_REPLACE, w);
  MPI_Win_fence(0, w); MPI_Win_fence(0, w2); MPI_Win_fence(0, w3);
  for (int i = 0; i < 12; i++) printf("rank %d mem %d: %g %d got %g %d\n", rank, i, mem[i].x, mem[i].k, got[i].x, got[i].k);
  for (int i = 0; i < 16; i++) printf("rank %d ints %d: %d got %d\n", rank, i, m2[i], g2[i]);
  for (int i = 0; i < 6; i++) printf("rank %d short %d: %d %d\n", rank, i, sm[i].x, sm[i].k);
  MPI_Win_free(&w); MPI_Win_free(&w2); MPI_Win_free(&w3);
  MPI_Finalize(); return 0;
}
