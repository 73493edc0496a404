//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/cmpi"
)

// warnings runs a case of a program and returns what is reported of it.
func warnings(t *testing.T, program string, number int, types cmpi.Types, workers int) ([]string, error) {
	t.Helper()
	e := torus(4)
	job, err := cmpi.Load(program, []string{fmt.Sprint(number)}, cmpi.Options{Ranks: 4, Types: types})
	if err != nil {
		t.Fatal(err)
	}
	e.Launch = job.Launcher()
	if _, err = e.Run(context.Background(), fabricast.Workers(workers)); err == nil {
		err = job.Err()
	}
	return job.Warnings(), err
}

const typed = `
	double d[8] = {0};
	MPI_Datatype mixed, twice, column;
	MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &mixed);
	MPI_Type_contiguous(2, mixed, &twice);
	MPI_Type_vector(3, 1, 2, MPI_FLOAT, &column);
	MPI_Type_commit(&mixed), MPI_Type_commit(&twice), MPI_Type_commit(&column);
	#define PASS(a, n, A, b, m, B) \
	  do { \
	    if (rank == 1) MPI_Ssend(a, n, A, 2, 5, MPI_COMM_WORLD); \
	    if (rank == 2) MPI_Recv(b, m, B, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); \
	  } while (0)
`

// TestTypes has ranks take messages for something else than was sent, and others for the same under
// other names. Other tests demand that nothing is said of programs that are right.
func TestTypes(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
	}{
		{"kinds", "for (int i = 0; i < 3; i++) PASS(x, 2, MPI_INT, d, 2, MPI_FLOAT);", []string{
			"datatypes do not match: rank 2 received by MPI_Recv as MPI_FLOAT what rank 1 sent by MPI_Ssend as MPI_INT (8 bytes with tag 5); 3 times in all",
		}},
		{"sizes", "PASS(x, 2, MPI_INT, d, 1, MPI_LONG);", []string{
			"datatypes do not match: rank 2 received by MPI_Recv as MPI_LONG what rank 1 sent by MPI_Ssend as MPI_INT (8 bytes with tag 5)",
		}},
		{"derived", "PASS(d, 2, mixed, y, 2, twice); PASS(d, 1, mixed, y, 5, column);", []string{
			"datatypes do not match: rank 2 received by MPI_Recv as a derived datatype of 4-byte reals what rank 1 sent by MPI_Ssend as a derived datatype of " +
				"4 bytes of 4-byte integers, 8 bytes of 8-byte reals (12 bytes with tag 5)",
		}},
		{"buffered", "char b[100]; MPI_Request q; MPI_Buffer_attach(b, 100); MPI_Ibsend(x, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &q);" +
			"MPI_Recv(d, 1, MPI_FLOAT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Wait(&q, MPI_STATUS_IGNORE);", []string{
			"datatypes do not match: rank 0 received by MPI_Recv as MPI_FLOAT what rank 0 sent by MPI_Ibsend as MPI_INT (4 bytes with tag 3); 4 times in all",
		}},
		{"replaced", "if (rank < 2) MPI_Sendrecv_replace(x, 2, rank ? MPI_FLOAT : MPI_INT, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);", []string{
			"datatypes do not match: rank 0 received by MPI_Sendrecv_replace as MPI_INT what rank 1 sent by MPI_Sendrecv_replace as MPI_FLOAT (8 bytes with tag 1)",
			"datatypes do not match: rank 1 received by MPI_Sendrecv_replace as MPI_FLOAT what rank 0 sent by MPI_Sendrecv_replace as MPI_INT (8 bytes with tag 1)",
		}},
		{"collectives", "MPI_Bcast(x, 2, rank == 3 ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);", []string{
			"datatypes do not match: rank 0 called MPI_Bcast as number 1 on a communicator for 8 bytes of MPI_INT, rank 3 of MPI_FLOAT",
		}},
		{"matched messages", `MPI_Message m;
			if (rank == 0) MPI_Send(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
			if (rank == 1) MPI_Mprobe(0, 1, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE), MPI_Mrecv(x, 1, MPI_FLOAT, &m, MPI_STATUS_IGNORE);`, []string{
			"datatypes do not match: rank 1 received by MPI_Mrecv as MPI_FLOAT what rank 0 sent by MPI_Send as MPI_INT (4 bytes with tag 1)",
		}},
		{"gathered", `int n[4] = {1, 2, 0, 1}, at[4] = {0, 1, 3, 4}; MPI_Request q;
			MPI_Igatherv(x, n[rank], rank == 2 ? MPI_DOUBLE : MPI_INT, d, n, at, MPI_FLOAT, 1, MPI_COMM_WORLD, &q);
			MPI_Barrier(MPI_COMM_WORLD), MPI_Wait(&q, MPI_STATUS_IGNORE);`, []string{
			"datatypes do not match: rank 1 received by MPI_Igatherv as MPI_FLOAT what rank 1 sent by MPI_Igatherv as MPI_INT (8 bytes)",
		}},
		{"scattered", `int n[4] = {1, 2, 0, 1}, at[4] = {0, 1, 3, 4};
			MPI_Scatterv(x, n, at, MPI_INT, d, n[rank], rank == 3 ? MPI_FLOAT : MPI_UNSIGNED, 1, MPI_COMM_WORLD);`, []string{
			"datatypes do not match: rank 3 received by MPI_Scatterv as MPI_FLOAT what rank 1 sent by MPI_Scatterv as MPI_INT (4 bytes)",
		}},
		{"gathered by all", `int n[4] = {1, 2, 0, 1}, at[4] = {0, 1, 3, 4};
			MPI_Allgatherv(x, n[rank], rank == 3 ? MPI_FLOAT : MPI_INT, y, n, at, MPI_INT, MPI_COMM_WORLD);
			MPI_Allgather(x, 1, MPI_INT, d, 1, MPI_FLOAT, MPI_COMM_WORLD);`, []string{
			"datatypes do not match: rank 0 received by MPI_Allgatherv as MPI_INT what rank 3 sent by MPI_Allgatherv as MPI_FLOAT (4 bytes); 4 times in all",
			"datatypes do not match: rank 0 called MPI_Allgather as number 2 on a communicator for 4 bytes, as MPI_INT and as MPI_FLOAT",
		}},
		{"all to all", `int n[4] = {1, 1, 1, 1}, at[4] = {0, 1, 2, 3}, far[4] = {0, 4, 8, 12}; MPI_Request q;
			MPI_Datatype a[4] = {MPI_INT, MPI_INT, MPI_FLOAT, MPI_INT}, b[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
			MPI_Ialltoallw(x, n, far, rank == 1 ? a : b, y, n, far, b, MPI_COMM_WORLD, &q), MPI_Wait(&q, MPI_STATUS_IGNORE);
			n[(rank + 1) % 4] = n[(rank + 3) % 4] = 0;
			MPI_Alltoallv(x, n, at, rank % 2 ? MPI_FLOAT : MPI_INT, y, n, at, rank % 2 ? MPI_FLOAT : MPI_INT, MPI_COMM_WORLD);`, []string{
			"datatypes do not match: rank 2 received by MPI_Ialltoallw as MPI_INT what rank 1 sent by MPI_Ialltoallw as MPI_FLOAT (4 bytes)",
		}},
		{"neighbours", `MPI_Comm ring; MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){4}, (int[]){1}, 0, &ring);
			MPI_Neighbor_allgather(x, 1, rank == 2 ? MPI_FLOAT : MPI_INT, y, 1, rank == 3 ? MPI_FLOAT : MPI_INT, ring);`, []string{
			"datatypes do not match: rank 1 received by MPI_Neighbor_allgather as MPI_INT what rank 2 sent by MPI_Neighbor_allgather as MPI_FLOAT (4 bytes)",
			"datatypes do not match: rank 3 received by MPI_Neighbor_allgather as MPI_FLOAT what rank 0 sent by MPI_Neighbor_allgather as MPI_INT (4 bytes)",
		}},
		{"between groups", `MPI_Comm half, both; MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
			MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 1, &both);
			MPI_Allgather(x, 1, rank == 3 ? MPI_FLOAT : MPI_INT, y, 1, MPI_INT, both);`, []string{
			"datatypes do not match: rank 0 received by MPI_Allgather as MPI_INT what rank 3 sent by MPI_Allgather as MPI_FLOAT (4 bytes); 2 times in all",
		}},
		{"windows", `MPI_Win w; MPI_Win_create(d, sizeof d, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &w); MPI_Win_fence(0, w);
			if (rank == 1) MPI_Put(x, 2, MPI_INT, 3, 0, 2, MPI_FLOAT, w);
			MPI_Win_fence(0, w);
			if (rank == 1) MPI_Get(x, 2, MPI_INT, 3, 0, 1, MPI_DOUBLE, w), MPI_Get(x, 3, MPI_INT, 3, 0, 1, mixed, w);
			if (rank == 2) MPI_Get_accumulate(x, 1, MPI_LONG, y, 2, MPI_FLOAT, 0, 0, 1, MPI_UINT64_T, MPI_SUM, w), MPI_Put(x, 8, MPI_BYTE, 0, 1, 1, MPI_DOUBLE, w);
			MPI_Win_fence(0, w);`, []string{
			"datatypes do not match: rank 1 called MPI_Put with MPI_INT at the origin and MPI_FLOAT at the target, rank 3 (8 bytes)",
			"datatypes do not match: rank 1 called MPI_Get with MPI_INT at the origin and MPI_DOUBLE at the target, rank 3 (8 bytes)",
			"datatypes do not match: rank 1 called MPI_Get with MPI_INT at the origin and a derived datatype of 4 bytes of 4-byte integers, 8 bytes of 8-byte reals at the target, rank 3 (12 bytes)",
			"datatypes do not match: rank 2 called MPI_Get_accumulate with MPI_FLOAT at the origin and MPI_UINT64_T at the target, rank 0 (8 bytes)",
		}},
		{"other names", `
			PASS(x, 2, MPI_INT, y, 2, MPI_UNSIGNED); PASS(x, 2, MPI_INT, y, 2, MPI_INTEGER); PASS(x, 2, MPI_LONG, y, 2, MPI_AINT); PASS(x, 2, MPI_CHAR, y, 2, MPI_UINT8_T);
			PASS(d, 2, MPI_DOUBLE, y, 2, MPI_REAL8); PASS(d, 2, MPI_C_DOUBLE_COMPLEX, y, 4, MPI_DOUBLE_PRECISION); PASS(x, 4, MPI_INT, y, 2, MPI_2INT);
			PASS(x, 8, MPI_BYTE, d, 1, MPI_DOUBLE); PASS(d, 1, MPI_DOUBLE, x, 9, MPI_PACKED); PASS(d, 0, MPI_DOUBLE, x, 1, MPI_INT);
			PASS(d, 3, MPI_FLOAT, x, 1, column); PASS(d, 1, column, x, 8, MPI_REAL); PASS(x, 1, MPI_INT, d, 4, mixed); PASS(d, 3, mixed, y, 2, twice);
			MPI_Bcast(d, rank == 2 ? 1 : 3, rank == 2 ? column : MPI_FLOAT, 0, MPI_COMM_WORLD);
			MPI_Bcast(d, 8, rank == 0 ? MPI_BYTE : rank == 1 ? MPI_CHAR : MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
			{ int n[4] = {1, 2, 0, 1}, at[4] = {0, 1, 3, 3};
			  MPI_Allgatherv(x, n[rank], rank ? MPI_INT : MPI_UNSIGNED, y, n, at, rank == 1 ? MPI_INTEGER : MPI_INT, MPI_COMM_WORLD);
			  MPI_Gatherv(d, rank ? n[rank] : 12, rank ? mixed : MPI_BYTE, malloc(200), n, at, mixed, 2, MPI_COMM_WORLD);
			  MPI_Scatterv(d, n, at, mixed, rank == 0 ? MPI_IN_PLACE : malloc(200), n[rank], mixed, 0, MPI_COMM_WORLD);
			  MPI_Alltoallv(MPI_IN_PLACE, n, n, MPI_INT, y, (int[]){1, 1, 1, 1}, at, rank ? MPI_INT : MPI_UNSIGNED, MPI_COMM_WORLD); }
			MPI_Gather(x, 1, mixed, malloc(4 * 24), rank ? 0 : 1, rank ? MPI_INT : mixed, 0, MPI_COMM_WORLD);`, nil},
	}
	texts := make([]string, len(tests))
	for i, test := range tests {
		texts[i] = begin + typed + test.body + end
	}
	program := compileCases(t, texts...)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				if found, err := warnings(t, program, i, cmpi.TypesTold, workers); err != nil ||
					!slices.Equal(found, test.want) {
					t.Errorf("%d workers: found %q and error %v, expected %q", workers, found, err, test.want)
				}
			}
			_, err := warnings(t, program, i, cmpi.TypesFail, 1)
			if len(test.want) == 0 && err != nil ||
				len(test.want) > 0 &&
					(err == nil || !strings.Contains(err.Error(), "MPI_FLOAT") && test.name != "sizes" && test.name != "derived") {
				t.Errorf("as errors: found %v, expected %q", err, test.want)
			}
			if found, err := warnings(t, program, i, cmpi.TypesIgnored, 1); err != nil || found != nil {
				t.Errorf("ignored: found %q and error %v", found, err)
			}
		})
	}
}
