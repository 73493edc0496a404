package files_test

import (
	"errors"
	"strings"
	"testing"

	"fabricast/routing/internal/files"
	"fabricast/topology"
)

// TestWrongFiles: files of routes and tables are refused with the line.
func TestWrongFiles(t *testing.T) {
	net, err := topology.TorusSpec{Dims: []int{3}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	f := func(table bool, text string, line int, found string) {
		t.Helper()
		if table {
			_, err = files.ReadTables(net.Graph(), 1, strings.NewReader(text))
		} else {
			_, err = files.ReadRoutes(net.Graph(), 1, strings.NewReader(text))
		}
		var wrong *files.Error
		if !errors.As(err, &wrong) || wrong.Line != line || !strings.Contains(wrong.Found, found) {
			t.Errorf("%q: %v", text, err)
		}
	}
	f(false, "0 1 0\n0 2", 2, "2 words")
	f(false, "0 1 0/1", 1, "0/1")
	f(false, "0 * 0", 1, "*")
	f(false, "0 1 0\n0 1 0", 2, "a route from host 0 to host 1 again")
	f(false, "0 1 0 1 0", 1, "port 0 of router 0 with virtual channel 0 again")
	f(false, "0 3 0", 1, "host 3")
	f(false, "0 1 5", 1, "port 5")
	f(false, "0 1 1", 1, "ends at router 2")
	f(true, "x * 0", 1, "x")
	f(true, "3 * 0", 1, "router 3")
	f(true, "0 * 2", 1, "port 2")
	f(true, "0 * 0\n1 * 0", 0, "no entry of router 2")
	f(true, "0 * 0\n1 * 1\n2 * 0", 0, "a loop")
	f(true, "0 * 0 0", 1, "2 ports")
	f(true, "0 * 0\n0 * 0", 2, "router 0 and host * again")
	f(true, "0 1 0\n0 1 1", 2, "router 0 and host 1 again")
}

// TestWrongWords: all mistakes of a file are told, each with its place and what would have been
// right there.
func TestWrongWords(t *testing.T) {
	net, err := topology.TorusSpec{Dims: []int{3}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	text := "0 * 0\n\t1  * 0/5 # fünf\n2 x 1\n9 0 1\n"
	_, err = files.ReadTables(net.Graph(), 2, strings.NewReader(text))
	const want = `line 2, column 7: found 0/5, expected a virtual channel from 0 to 1
line 3, column 3: found x, expected the number of a host, or "*" for all others
line 4, column 1: found router 9, expected a router from 0 to 2`
	if err == nil || err.Error() != want {
		t.Errorf("%v\nexpected\n%s", err, want)
	}
}
