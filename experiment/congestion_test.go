package experiment

import (
	"reflect"
	"strings"
	"testing"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/topology"
)

// decoded reads an experiment of which only network and node are given.
func decoded(t *testing.T, text string) (*Experiment, error) {
	t.Helper()
	root, err := config.Parse(&config.Source{
		Name: "e.yaml", Text: text + "\nworkload: {program: alltoall, size: 4B}\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	return Decode(root, ".", nil, WholeFile, nil)
}

const uec = `
network:
  topology: {kind: fat-tree, radix: 4, levels: 2}
  packet: {mtu: 4150B, header: 64B, flit: 1B}
  router: {buffers: lossy, trimming: true, queue: 200kB, ecn: {at: dequeue, min: 30kB, max: 120kB}}
node:
  transport:
    control: {algorithm: nscc, credit: true, target: 9us}
    paths: {algorithm: mixed, paths: 128}
    ack_every: 16KiB
`

func TestCongestionFields(t *testing.T) {
	e, err := decoded(t, uec)
	if err != nil {
		t.Fatal(err)
	}
	if !e.Network.Ethernet() {
		t.Error("a lossy network is one of Ethernet")
	}
	wantRouter := ECN{At: ECNDequeue, Min: 30 * units.KB, Max: 120 * units.KB, Probability: units.Whole}
	if r := e.Network.Router; r.ECN != wantRouter || !r.Trimming || r.Queue != 200*units.KB || r.Shared != (SharedBuffer{}) {
		t.Errorf("%+v", r)
	}
	want := Transport{
		Control: control.NSCCOptions{Credit: true, Target: 9 * units.Microsecond}, Paths: paths.MixedOptions{Paths: 128},
		QueuePairs: 1, Retransmission: RetransmissionSelective, AckEvery: 16 * units.KiB, AckSize: 64,
		Credit: Credit{Grant: 4 * 4150, Rate: 99 * units.Percent},
	}
	if got := e.Node.Transport; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	root, err := config.Parse(&config.Source{Name: "again.yaml", Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(root, ".", nil, WholeFile, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !reflect.DeepEqual(again.Node.Transport, want) || !reflect.DeepEqual(again.Network.Router, e.Network.Router) {
		t.Errorf("%s was read as %+v", text, again.Node.Transport)
	}
}

func TestCongestionDefaults(t *testing.T) {
	e, err := decoded(t, "network: {topology: {dims: [4, 4]}, router: {buffers: pfc, ecn: {}}}")
	if err != nil {
		t.Fatal(err)
	}
	want := SharedBuffer{Size: 12 * units.MiB, Alpha: 125_000_000, Reserve: 4 * units.KiB, Resume: 3 * units.KiB}
	if r := e.Network.Router; r.Shared != want || r.ECN != (ECN{At: ECNEnqueue, Probability: units.Whole}) {
		t.Errorf("%+v", r)
	}
	transport := Transport{
		Control: control.NoneOptions{}, Paths: paths.ECMPOptions{}, QueuePairs: 1,
		Retransmission: RetransmissionNone, AckSize: 64,
	}
	if got := e.Node.Transport; !reflect.DeepEqual(got, transport) {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{"", ", router: {buffers: credits}"} {
		e, err = decoded(t, "network: {topology: {dims: [4, 4]}"+text+"}")
		if err != nil {
			t.Fatal(err)
		}
		written, err := e.YAML()
		if err != nil || strings.Contains(string(written), "transport") || strings.Contains(string(written), "shared") {
			t.Errorf("%v\n%s", err, written)
		}
		if e.Network.Ethernet() {
			t.Error("a network with credits is one of Ethernet")
		}
	}
}

func TestCongestionInGo(t *testing.T) {
	r, err := ResolveNetwork(Experiment{
		Network: Network{Topology: topology.TorusSpec{Dims: []int{4, 4}}, Router: Router{Buffers: BuffersLossy, ECN: ECN{Max: 100 * units.KB}}},
		Node:    Node{Transport: Transport{Control: control.DCQCNOptions{Form: control.DCQCNVendor}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Node.Transport.Paths; got != (paths.ECMPOptions{}) || r.Node.Overhead != defaultNode.Overhead {
		t.Errorf("%+v", r.Node)
	}
	text, err := r.YAML()
	if err != nil || !strings.Contains(string(text), "form: vendor") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestCongestionMistakes(t *testing.T) {
	const lossy = "network: {router: {buffers: lossy}}\n"
	for _, c := range []struct{ text, want string }{
		{
			"network: {router: {buffers: lossless}}",
			"network.router.buffers: found lossless, expected one of credits, pfc, lossy",
		},
		{"network: {router: {queue: 10kB}}", "found 10kB, expected none with buffers: credits"},
		{"network: {router: {ecn: {min: 10kB}}}", "network.router.ecn: found ecn, expected none with buffers: credits"},
		{"network: {router: {shared: {size: 1MB}}}", "found shared, expected none with buffers: credits"},
		{
			"node: {transport: {control: nscc}}",
			"node.transport.control: found nscc with network.router.buffers: credits, expected one of ib-cc, slingshot-like, none with these buffers",
		},
		{
			"node: {transport: {control: ib-cc, queue_pairs: 2}}",
			"node.transport.queue_pairs: found queue_pairs, expected none with buffers: credits (network.router.buffers: lossy or pfc has it)",
		},
		{
			lossy + "node: {transport: {control: ib-cc}}",
			"node.transport.control: found ib-cc with network.router.buffers: lossy, expected one of none, window, nscc,",
		},
		{
			"node: {transport: {control: {algorithm: ib-cc, ccti_timer: 0}}}",
			"node.transport.control.ccti_timer: found 0, expected a value above 0 (the default is 153.6us)",
		},
		{
			"node: {transport: {control: slingshot-like}, nics: 2, io_bus: {bandwidth: 1GB/s}}",
			"node.transport.control: found slingshot-like, expected none with a node.io_bus that NICs share",
		},
		{"network: {router: {buffers: pfc, trimming: true}}", "found true, expected none with buffers: pfc (network.router.buffers: lossy has it)"},
		{"network: {router: {buffers: lossy, shared: {size: 1MB, resume: 3kB}}}", "found 3kB, expected none with buffers: lossy"},
		{"network: {router: {buffers: lossy, shared: {alpha: 0.5}}}", "network.router.shared.size: found nothing"},
		{"network: {router: {buffers: lossy, trimming: true}}", "expected a network.packet.header above 0"},
		{"network: {router: {buffers: lossy, queue: 100B}}", "found 100B, expected a size from 256B to 1GiB"},
		{"network: {router: {buffers: lossy, ecn: {min: 2kB, max: 1kB}}}", "found 1kB, expected at least network.router.ecn.min, 2kB"},
		{"network: {router: {buffers: lossy, ecn: {at: arrival}}}", "found arrival, expected one of enqueue, dequeue"},
		{"network: {router: {buffers: lossy, ecn: {probability: 2}}}", "found 2, expected a share above 0, up to 1"},
		{"network: {router: {buffers: pfc, shared: {alpha: 0}}}", "found 0, expected a number above 0, up to 1000"},
		{
			lossy + "node: {transport: {retransmission: none}}",
			"found none, expected go-back-n or selective where packets are lost",
		},
		{lossy + "node: {transport: {queue_pairs: 0}}", "found 0, expected a number from 1 to 1024"},
		{lossy + "node: {transport: {ack_size: 1kB}}", "found 1kB, expected a size from 1B to the MTU of 256B"},
		{lossy + "node: {transport: {timeout: 2s}}", "found 2s, expected a time from 0ps to 1s"},
		{lossy + "node: {transport: {control: nsc}}", "did you mean nscc?"},
		{lossy + "node: {transport: {control: {algorithm: swift, credit: true}}}", "found an option that swift does not have"},
		{lossy + "node: {transport: {paths: {algorithm: bitmap, paths: 100}}}", "found 100, expected a power of two up to 65536"},
		{lossy + "node: {transport: {control: dcqcn}}", "found dcqcn without marks, expected a network.router.ecn, as dcqcn reacts to marks alone"},
		{lossy + "node: {transport: {control: {algorithm: hpcc, eta: 2}}}", "node.transport.control.eta: found 2, expected a share from 0 to 1"},
		{lossy + "node: {transport: {credit: {rate: 0.5}}}", "found credit, expected none with an algorithm that needs no credit"},
		{lossy + "node: {transport: {control: rccc, credit: {rate: 0}}}", "found 0, expected a share above 0, up to 1"},
		{"network: {router: {classes: [{queue: 64KiB}]}}", "network.router.classes[0].queue: found 64KiB, expected none with buffers: credits"},
		{"network: {router: {vcs: 8, classes: [{}, {}, {}, {}, {}]}}", "network.router.classes: found 5 classes of 8 virtual channels each, expected at most"},
		{"network: {router: {classes: [{}]}}\nnode: {nic_order: round-robin}", "network.router.classes: found classes, expected none with node.nic_order: round-robin"},
		{"network: {router: {classes: [{}]}}\nnode: {transport: {control: ib-cc}}", "network.router.classes: found classes, expected none with node.transport.control"},
		{"network: {router: {classes: [{}]}}\nfaults: {packets: lose, timeout: 50us}", "network.router.classes: found classes, expected none with faults"},
		{"network: {router: {buffers: lossy, classes: [{name: a}, {name: a}]}}", "classes[1].name: found a, expected a name that no other class has"},
		{"network: {router: {buffers: lossy, classes: [{weight: -1}]}}", "classes[0].weight: found -1, expected a number from 0 to 10000"},
		{"network: {router: {buffers: lossy, classes: [{priority: 300}]}}", "found 300, expected a number from 0 to 255"},
		{"network: {router: {buffers: lossy, classes: [{queue: 100B}]}}", "classes[0].queue: found 100B, expected a size from 256B"},
		{"network: {router: {buffers: pfc, classes: [{queue: 100kB}]}}", "found 100kB, expected none with buffers: pfc"},
		{"network: {router: {buffers: lossy, classes: [{alpha: 0.5}]}}", "classes[0].alpha: found 0.5, expected none without network.router.shared"},
		{"network: {router: {buffers: lossy, classes: [{ecn: {max: 1kB}}]}}", "found 1kB, expected none without network.router.ecn"},
		{"network: {router: {buffers: lossy, classes: [{}, {}, {}, {}, {}, {}, {}, {}, {}]}}", "found 9 classes, expected at most 8"},
		{
			"network: {router: {buffers: lossy, classes: [{}, {}]}}\nclasses: [{to: 4kB, class: 2}]\n",
			"classes[0].class: found 2, expected a number from 0 to 1: network.router.classes has no others",
		},
		{
			"network: {model: loggps, router: {buffers: lossy}}\n", "network.model",
		},
	} {
		_, err := decoded(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.text, err, c.want)
		}
	}
}

// TestZerosOfSharedBuffersAreWritten: a reserve of 0 is not the default. It is in the YAML of the experiment, before
// and after the defaults are filled in.
func TestZerosOfSharedBuffersAreWritten(t *testing.T) {
	resolved := func(text string) (*Experiment, *Resolved) {
		root, err := config.Parse(&config.Source{Name: "e.yaml", Text: text})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		e, err := Decode(root, ".", nil, WholeFile, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r, err := Resolve(*e)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return e, r
	}
	for _, shared := range []string{"{}", "{reserve: 0B}", "{resume: 0B}", "{size: 1MiB, reserve: 0B, resume: 0B}"} {
		e, want := resolved("network: {topology: {dims: [4]}, router: {buffers: pfc, shared: " + shared + "}}\nworkload: {program: barrier}\n")
		for _, of := range []*Experiment{e, &want.Experiment} {
			text, err := of.YAML()
			if err != nil {
				t.Fatal(err)
			}
			if _, got := resolved(string(text)); got.Network.Router.Shared != want.Network.Router.Shared {
				t.Errorf("%s: %+v, want %+v\n%s", shared, got.Network.Router.Shared, want.Network.Router.Shared, text)
			}
		}
	}
}
