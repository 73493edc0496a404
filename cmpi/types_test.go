//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/cmpi"
)

// warnings runs a program and returns what is told of it.
func warnings(t *testing.T, program string, types cmpi.Types, workers int) ([]string, error) {
	t.Helper()
	e := torus(4)
	job, err := cmpi.Load(program, nil, cmpi.Options{Ranks: 4, Types: types})
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

// TestTypes has ranks take messages for something else than was sent, and others for the same under other names. Other tests demand that nothing is said of programs that are right.
func TestTypes(t *testing.T) {
	for _, test := range []struct {
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
		{"other names", `
			PASS(x, 2, MPI_INT, y, 2, MPI_UNSIGNED); PASS(x, 2, MPI_INT, y, 2, MPI_INTEGER); PASS(x, 2, MPI_LONG, y, 2, MPI_AINT); PASS(x, 2, MPI_CHAR, y, 2, MPI_UINT8_T);
			PASS(d, 2, MPI_DOUBLE, y, 2, MPI_REAL8); PASS(d, 2, MPI_C_DOUBLE_COMPLEX, y, 4, MPI_DOUBLE_PRECISION); PASS(x, 4, MPI_INT, y, 2, MPI_2INT);
			PASS(x, 8, MPI_BYTE, d, 1, MPI_DOUBLE); PASS(d, 1, MPI_DOUBLE, x, 9, MPI_PACKED); PASS(d, 0, MPI_DOUBLE, x, 1, MPI_INT);
			PASS(d, 3, MPI_FLOAT, x, 1, column); PASS(d, 1, column, x, 8, MPI_REAL); PASS(x, 1, MPI_INT, d, 4, mixed); PASS(d, 3, mixed, y, 2, twice);
			MPI_Bcast(d, rank == 2 ? 1 : 3, rank == 2 ? column : MPI_FLOAT, 0, MPI_COMM_WORLD);
			MPI_Bcast(d, 8, rank == 0 ? MPI_BYTE : rank == 1 ? MPI_CHAR : MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
			MPI_Gather(x, 1, mixed, malloc(4 * 24), rank ? 0 : 1, rank ? MPI_INT : mixed, 0, MPI_COMM_WORLD);`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := compileText(t, begin+typed+test.body+end)
			for _, workers := range []int{1, 2} {
				if found, err := warnings(t, program, cmpi.TypesTold, workers); err != nil || !slices.Equal(found, test.want) {
					t.Errorf("%d workers: found %q and error %v, expected %q", workers, found, err, test.want)
				}
			}
			_, err := warnings(t, program, cmpi.TypesFail, 1)
			if len(test.want) == 0 && err != nil || len(test.want) > 0 && (err == nil || !strings.Contains(err.Error(), "MPI_FLOAT") && test.name != "sizes" && test.name != "derived") {
				t.Errorf("as errors: found %v, expected %q", err, test.want)
			}
			if found, err := warnings(t, program, cmpi.TypesIgnored, 1); err != nil || found != nil {
				t.Errorf("ignored: found %q and error %v", found, err)
			}
		})
	}
}
