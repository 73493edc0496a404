package files_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/routing/internal/files"
	"fabricast/topology"
)

// labeled returns a triangle of switches with a host each, and the labels of a real network.
func labeled(t testing.TB) topology.Topology {
	net, err := topology.IrregularSpec{
		Names: []string{"leaf1", "leaf2", "spine"}, Hosts: []int{1, 1, 1},
		Edges: []topology.Edge{{A: 0, B: 1}, {A: 1, B: 2}, {A: 2, B: 0}},
		Labels: &topology.Labels{
			Routers: []string{"a1", "a2", "a3"}, RouterLIDs: []int32{1, 2, 3}, HostLIDs: []int32{4, 8, 6},
			Ports: [][2]int32{{33, 34}, {20, 21}, {22, 35}},
		},
	}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// Forms of a switch's table: ibroute and dump_fts, the same with -n, and OpenSM's.
var dumpForms = []struct{ head, entry, foot string }{
	{
		"Unicast lids [0x0-0x8] of switch Lid 1 guid 0x00000000000000%s (leaf):\n  Lid  Out   Destination\n       Port     Info \n",
		"0x%04x %03d : (Channel Adapter portguid 0x00000000000000c1: 'node mlx5_0')\n", "3 valid lids dumped \n\n",
	},
	{"Unicast lids [0x0-0x8] of switch DR path slid 0; dlid 0; 0,1 guid 0x00000000000000%s (leaf):\n", "0x%04X %03d\n", ""},
	{
		"Unicast lids [0-8] of switch Lid 1 guid 0x00000000000000%s ('leaf'):\n",
		"0x%04x %03d # Channel Adapter portguid 0x00000000000000c1: 'node mlx5_0'\n", "8 lids dumped\n",
	},
}

// TestDumps: tables of real switches are read in each of their forms, whatever the order of the switches, as
// the same tables by numbers are.
func TestDumps(t *testing.T) {
	net := labeled(t)
	g := net.Graph()
	number := net.(topology.Labeled).PortNumber
	rapid.Check(t, func(rt *rapid.T) {
		form := rapid.SampledFrom(dumpForms).Draw(rt, "form")
		onward := rapid.IntRange(0, 1).Draw(rt, "onward") // host 1 is reached from leaf1 by this port
		plain, dump := "", ""
		for _, r := range rapid.Permutation([]int{0, 1, 2}).Draw(rt, "order") {
			dump += fmt.Sprintf(form.head, []string{"a1", "a2", "a3"}[r])
			for host, lid := range []int{4, 8, 6} {
				port := 40
				if host != r {
					local := directly(g, r, host)
					if r == 0 && host == 1 {
						local = onward
					}
					plain += fmt.Sprintf("%d %d %d\n", r, host, local)
					port = number(r, local)
				}
				dump += fmt.Sprintf(form.entry, lid, port)
			}
			dump += fmt.Sprintf("0x%04x %03d : (Switch portguid 0x00000000000000a1: 'leaf')\n", 1, 0) + form.foot
		}
		if !files.IsDump(dump) || files.IsDump(plain) {
			rt.Fatal("a dump is not recognized, or plain tables are")
		}
		got, err := files.ReadDump(net, dump)
		if err != nil {
			rt.Fatalf("%s\n%v", dump, err)
		}
		want, err := files.ReadTables(g, 1, strings.NewReader(plain))
		if err != nil {
			rt.Fatal(err)
		}
		for r := range int32(3) {
			for h := range int32(3) {
				if r != h && got.At(r, h) != want.At(r, h) {
					rt.Fatalf("%s\nrouter %d, host %d: %v, want %v", dump, r, h, got.At(r, h), want.At(r, h))
				}
			}
		}
		if !strings.HasPrefix(got.Ignored(), "3 entries") {
			rt.Fatalf("ignored %q", got.Ignored())
		}
	})
}

// directly returns the port of a router that leads to the router of a host.
func directly(g *topology.Graph, router, host int) int {
	for p := range int(g.PortBase[router+1] - g.PortBase[router]) {
		if g.PeerRouter(int(g.PortBase[router])+p) == g.HostRouter(host) {
			return p
		}
	}
	return -1
}

// TestWrongDumps: mistakes in tables of real switches have their place.
func TestWrongDumps(t *testing.T) {
	const head = "Unicast lids [0x0-0x8] of switch Lid 1 guid 0x00000000000000a1 (leaf1):\n"
	f := func(text, want string) {
		t.Helper()
		_, err := files.ReadDump(labeled(t), text)
		var one *files.Error
		if !errors.As(err, &one) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	f("0x0004 001\n"+head, "line 1, column 1: found an entry, expected the line of a switch before it")
	f(strings.ReplaceAll(head, "a1", "b7"), "line 1, column 47: found switch 00000000000000b7, expected the GUID of a switch")
	f(head+head, "line 2, column 47: found switch 00000000000000a1 a second time")
	f(head+"0x0008 011 : (x)\n", "line 2, column 8: found port 11 of switch leaf1, expected a port with a cable")
	f(head+"0x0008 033\n0x0008 033\n", "line 3, column 1: found LID 0x0008 a second time")
	f(head+"rubbish\n", "line 2, column 1: found rubbish, expected an entry")
	f(head+"Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0xa1 (leaf1):\n", "found a multicast table")
	f(head+"0x0008 033\n", "found no entry of switch leaf2 for host 0")
	f(head+"0x0008 255 : (illegal port)\n", "found no entry of switch leaf2 for host 0")
	plain, err := topology.TorusSpec{Dims: []int{3}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.ReadDump(plain, head); err == nil || !strings.Contains(err.Error(), "ibnetdiscover") {
		t.Errorf("%v", err)
	}
}

// FuzzDump demands of any text either mistakes in it, or tables by which every host is reached.
func FuzzDump(f *testing.F) {
	f.Add("Unicast lids [0x0-0x8] of switch Lid 1 guid 0x00000000000000a1 (leaf1):\n0x0008 033 : (x)\n0x0006 035\n")
	f.Add("Unicast lids [0-8] of switch Lid 1 guid 0xa1 ('x'):\n0x0008 255 # unknown node and type\n9 lids dumped\n")
	f.Fuzz(func(t *testing.T, text string) {
		tables, err := files.ReadDump(labeled(t), text)
		var one *files.Error
		if (tables == nil) == (err == nil) || err != nil && (!errors.As(err, &one) || one.Found == "" || one.Expected == "") {
			t.Fatalf("%v, %v", tables, err)
		}
	})
}
