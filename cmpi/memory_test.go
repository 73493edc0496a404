//go:build cgo && linux && amd64

package cmpi_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// The addresses that calls are given, as badCalls makes them, and what of them can be read.
var badAddresses = []struct {
	text             string
	missing, written bool // there is no memory; it must not be written to
}{
	{"NULL", true, false},
	{"(char *)24", true, false},
	{"gone", true, false},                       // a page that has been given back
	{"closed + 64", true, false},                // a page without access
	{"constant", false, true},                   // a page to be read only
	{"(char *)0xdead000000000000", true, false}, // no address of this processor
	{"(char *)-16", true, false},
	{"(char *)0xc000100000", true, false}, // Go's heap
	{"closed - 2", true, false},           // the last bytes of memory
}

// badCalls is a program that calls a function of MPI with one pointer that is wrong: 'program
// FUNCTION PARAMETER ADDRESS RANK TYPE'.
const badCalls = `#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static char good[64][1 << 14] __attribute__((aligned(64)));
int main(int argc, char **argv) {
  int function = atoi(argv[1]), parameter = atoi(argv[2]), rank, keyval;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *pages = mmap(0, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *closed = pages + 4096, *constant = pages + 8192, *gone = pages + 12288;
  mprotect(closed, 4096, PROT_NONE);
  mprotect(constant, 4096, PROT_READ);
  munmap(gone, 4096);
  char *addresses[] = {%s};
  char *bad = addresses[atoi(argv[3])];
  int victim = atoi(argv[4]), tag = 0;
  for (int i = 0; i < 64; i++)
    for (int k = 0; k < 64; k++) ((int *)good[i])[k] = 1;
  for (int k = 0; k < 64; k++) ((MPI_Datatype *)good[60])[k] = MPI_INT;
  for (int k = 0; k < 64; k++) ((MPI_Aint *)good[61])[k] = 8;
  memset(good[62], 0, sizeof good[62]);
  MPI_Datatype type = MPI_INT, gaps;
  MPI_Type_vector(3, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  if (atoi(argv[5])) type = gaps;
  MPI_Request request = MPI_REQUEST_NULL, other;
  MPI_Message message = MPI_MESSAGE_NO_PROC;
  MPI_Status status;
  MPI_Group group;
  MPI_Info info;
  MPI_Win win;
  MPI_Comm grid;
  int dims[1] = {3}, periods[1] = {1};
  char *argument = 0;
  (void)argument;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, 0);
  MPI_Win_create(good[59], 4096, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
  MPI_Win_fence(0, win);
  static char attached[1 << 16];
  MPI_Buffer_attach(attached, sizeof attached);
  MPI_Isend(good[58], 3, type, rank, 0, MPI_COMM_WORLD, &other);
  MPI_Comm comm = MPI_COMM_WORLD;
  memset(&status, 0, sizeof status);
#define POINTER(i, place) (rank == victim && parameter == i ? (void *)bad : (void *)(place))
  switch (function) {
%s  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
`

// badCall is one function that badCalls calls.
type badCall struct {
	name     string
	pointers []int // parameters that are
	buffers  []int // those of them that are buffers, of which the program uses something
	outputs  []int // those buffers that are written to
}

var (
	isBuffer = regexp.MustCompile(
		`^(const )?void \*(buf|sendbuf|recvbuf|origin|result|compare|inbuf|outbuf|inoutbuf)$|^void \*buffer$`,
	)
	notCalledBy = regexp.MustCompile(
		`^MPI_(Init|Init_thread|Finalize|Abort|Pcontrol|Free_mem|Buffer_detach|T_.*|.*_(f2c|c2f|c2f08|f082c|f2f08|f082f))$`,
	)
	neighbourly = regexp.MustCompile(`^MPI_I?[Nn]eighbor|^MPI_Cart`)
)

// badCallSwitch is the cases of badCalls, and what they call.
func badCallSwitch() (cases string, calls []badCall) {
	var s strings.Builder
	for _, p := range host.Prototypes() {
		if !p.Here || notCalledBy.MatchString(p.Name) || !strings.Contains(p.Arguments, "*") {
			continue
		}
		call := badCall{name: p.Name}
		var passed []string
		before := ""
		for i, a := range strings.Split(strings.Trim(p.Arguments, "()"), ", ") {
			good := goodArgument(p.Name, a, i)
			if strings.Contains(a, "*") && !strings.Contains(a, "_function") || strings.Contains(a, "[]") {
				call.pointers = append(call.pointers, i)
				good = fmt.Sprintf("POINTER(%d, %s)", i, good)
				if isBuffer.MatchString(a) && p.Name != "MPI_Buffer_attach" {
					call.buffers = append(call.buffers, i)
					if !strings.HasPrefix(a, "const") {
						call.outputs = append(call.outputs, i)
					}
				}
			}
			passed = append(passed, good)
		}
		if neighbourly.MatchString(p.Name) {
			before += "comm = grid; "
		}
		if strings.Contains(p.Arguments, "MPI_Request *requests") ||
			regexp.MustCompile(`^MPI_(Wait|Test|Start|Cancel|Request_)`).MatchString(p.Name) {
			before += "MPI_Recv_init(good[57], 3, type, rank, 0, MPI_COMM_WORLD, &request); "
			if !strings.HasPrefix(p.Name, "MPI_Start") {
				before += "MPI_Start(&request); "
			}
		}
		if strings.HasSuffix(p.Name, "mrecv") || strings.HasSuffix(p.Name, "Mrecv") {
			before += "MPI_Mprobe(rank, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE); "
		}
		after := ""
		if strings.HasSuffix(p.Name, "_init") {
			after = " MPI_Start(&request); MPI_Wait(&request, MPI_STATUS_IGNORE);"
		}
		if call.buffers != nil && slices.Contains(strings.Split(p.Arguments, "MPI_Request *request)"), "") &&
			strings.HasPrefix(p.Name, "MPI_I") {
			after = " MPI_Wait(&request, MPI_STATUS_IGNORE);"
		}
		if strings.Contains(p.Arguments, "MPI_Win win") && call.buffers != nil {
			after += " MPI_Win_fence(0, win);"
		}
		fmt.Fprintf(
			&s,
			"    case %d: { %s%s(%s);%s break; }\n",
			len(calls),
			before,
			p.Name,
			strings.Join(passed, ", "),
			after,
		)
		calls = append(calls, call)
	}
	return s.String(), calls
}

// goodArgument is what is passed for a parameter that is right.
func goodArgument(function, a string, i int) string {
	name := regexp.MustCompile(`\w+(\[\]\[3\])?$`).FindString(a)
	switch {
	case strings.Contains(a, "_function"):
		return "0"
	case strings.HasPrefix(a, "MPI_Request *"):
		return "&request"
	case strings.HasPrefix(a, "MPI_Message *"):
		return "&message"
	case strings.Contains(a, "MPI_Datatype *") && strings.HasPrefix(a, "const"), a == "MPI_Datatype *types":
		return "good[60]"
	case a == "MPI_Datatype *type":
		return "&gaps"
	case strings.Contains(a, "MPI_Aint *"):
		return "good[61]"
	case strings.Contains(a, "Status *"), strings.Contains(a, "status *"):
		return "&status"
	case a == "MPI_Win *win":
		return "&win"
	case a == "MPI_Group *group":
		return "&group"
	case a == "MPI_Info *info":
		return "&info"
	case a == "const char *datarep":
		return `"external32"`
	case a == "const char *key":
		return `"key"`
	case strings.Contains(name, "displs"), name == "ranks", name == "coords", name == "position":
		return "good[62]"
	case strings.Contains(a, "*"), strings.Contains(a, "[]"):
		return fmt.Sprintf("good[%d]", i)
	}
	switch strings.Fields(a)[0] {
	case "MPI_Comm":
		return "comm"
	case "MPI_Datatype":
		return "type"
	case "MPI_Op":
		return map[bool]string{true: "MPI_REPLACE", false: "MPI_SUM"}[strings.Contains(function, "ccumulate") || strings.Contains(function, "Fetch")]
	case "MPI_Win":
		return "win"
	case "MPI_Group":
		return "group"
	case "MPI_Info":
		return "info"
	case "MPI_Errhandler":
		return "MPI_ERRORS_RETURN"
	case "MPI_Request":
		return "request"
	}
	switch name {
	case "dest", "source", "target", "rank":
		return "rank"
	case "tag", "sendtag", "recvtag", "root", "disp", "assertion", "color", "reorder", "direction", "starts":
		return "0"
	case "keyval":
		return "keyval"
	case "outsize", "insize", "size":
		return "4096"
	case "order":
		return "MPI_ORDER_C"
	case "max_integers", "max_addresses", "max_datatypes":
		return "64"
	}
	return "1"
}

// TestBadAddresses gives pointers of any function addresses at which nothing, or not enough, is:
// the run ends, and if that is because of the address with an error of the rank that names the
// function. It never ends the simulator.
func TestBadAddresses(t *testing.T) {
	cases, calls := badCallSwitch()
	var addresses []string
	for _, a := range badAddresses {
		addresses = append(addresses, a.text)
	}
	source := filepath.Join(t.TempDir(), "bad.c")
	if err := os.WriteFile(source, fmt.Appendf(nil, badCalls, strings.Join(addresses, ", "), cases), 0o600); err != nil {
		t.Fatal(err)
	}
	program := compile(t, source, "-O0")
	if len(calls) < 200 {
		t.Fatalf("found %d functions with pointers, expected nearly all", len(calls))
	}
	rapid.Check(t, func(rt *rapid.T) {
		function := rapid.IntRange(0, len(calls)-1).Draw(rt, "function")
		call := calls[function]
		parameter := rapid.SampledFrom(call.pointers).Draw(rt, "parameter")
		if len(call.buffers) > 0 && rapid.Bool().Draw(rt, "a buffer") {
			parameter = rapid.SampledFrom(call.buffers).Draw(rt, "which")
		}
		address := rapid.IntRange(0, len(badAddresses)-1).Draw(rt, "address")
		victim := rapid.IntRange(0, 2).Draw(rt, "rank")
		gaps := rapid.IntRange(0, 1).Draw(rt, "gaps")
		what := fmt.Sprintf(
			"%s with parameter %d being %s on rank %d",
			call.name, parameter, badAddresses[address].text, victim,
		)
		_, _, err := run(
			t, torus(3), program, rapid.IntRange(1, 2).Draw(rt, "workers"), fmt.Sprint(function),
			fmt.Sprint(parameter), fmt.Sprint(address), fmt.Sprint(victim), fmt.Sprint(gaps),
		)
		var internal *fabricast.InternalError
		var panicked node.PanicError
		if errors.As(err, &internal) || errors.As(err, &panicked) {
			rt.Fatalf("%s: found %v, expected an error of the rank", what, err)
		}
		bad := badAddresses[address].missing ||
			badAddresses[address].written && slices.Contains(call.outputs, parameter)
		if victim != 0 || !bad || !slices.Contains(call.buffers, parameter) {
			return
		}
		var failed *fabricast.RunError
		if !errors.As(err, &failed) || failed.Rank != victim ||
			!regexp.MustCompile(`\b(`+call.name+`|MPI_Start|MPI_Wait|MPI_Win_fence): `).
				MatchString(err.Error()) {
			rt.Fatalf("%s: found %v, expected an error of rank %d that names the function", what, err, victim)
		}
	})
}
