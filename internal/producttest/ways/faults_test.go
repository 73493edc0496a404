package ways

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/internal/producttest"
)

// faulted are networks with links that fail, and with hosts whose number is the last field.
var faulted = []struct {
	network, reroute string
	hosts            int
}{
	{"{topology: {dims: [4, 3]}", "none", 12},
	{"{topology: {dims: [4, 3]}, router: {vcs: 3}", "up-down, vcs: 1", 12},
	{"{topology: {dims: [4, 3]}, routing: up-down, router: {vcs: 3}", "up-down, vcs: 1", 12},
	{"{topology: {dims: [4, 3]}, routing: adaptive", "none", 12},
	{"{topology: {dims: [4, 3]}, routing: adaptive, router: {vcs: 5}", "adaptive, vcs: 2", 12},
	{"{topology: {kind: dragonfly, p: 2, a: 2, h: 1}, routing: ugal-g, router: {vcs: 7}", "adaptive, vcs: 1", 12},
	{"{topology: {kind: fully-connected, routers: 5, hosts: 2}, routing: shortest, router: {vcs: 4}", "same", 10},
	{"{topology: {kind: fully-connected, routers: 5, hosts: 2}, router: {vcs: 3, output_buffer: 8KiB}", "shortest, vcs: 2", 10},
}

// drawFaults describes a network with links that fail and recover, and what runs on it.
func drawFaults(t *testing.T, d *rand.Rand) string {
	t.Helper()
	one, of := producttest.One, faulted[d.IntN(len(faulted))]
	at := func() int { return d.IntN(4000) }
	from := at()
	text := fmt.Sprintf(
		"network: %s}\nseed: %d\nfaults: {reroute: %s, detection: %dns, update: %dns, events: [{link: %s, from: %dns, to: %dns%s}",
		of.network, d.IntN(1000), of.reroute, at(), at(), one(d, "0-1", "0>1", "1>0"), from, from+1+at(), one(d, "", ", rate: 25%"),
	)
	if d.IntN(2) == 0 {
		from := at()
		text += fmt.Sprintf(", {switch: 2, from: %dns, to: %dns%s}", from, from+1+at(), one(d, "", ", rate: 60%"))
	}
	text += "]"
	packets := one(d, "", ", packets: lose", ", packets: retry", fmt.Sprintf(", packets: lose, timeout: %dns", 10+at()))
	if buffered := strings.Contains(of.network, "output_buffer"); !buffered || !strings.HasSuffix(packets, "retry") {
		text += packets
	}
	if !strings.Contains(of.network, "output_buffer") {
		text += one(d, "", ", bit_errors: {rate: 1e-5}", ", bit_errors: {links: [{link: 0-1, rate: 3e-5}, {link: 2>1, rate: 1e-6}]}")
	}
	text += drawRandomFaults(t, d)
	text += "}\n" + producttest.Load(d, of.hosts)
	if d.IntN(3) == 0 {
		text += recordAll + "}\n"
	}
	return text
}

// drawRandomFaults describes failures at random times, by a law or by a table, or none.
func drawRandomFaults(t *testing.T, d *rand.Rand) string {
	t.Helper()
	if d.IntN(2) == 0 {
		return ""
	}
	if d.IntN(2) == 0 {
		return ", random: {rate: 9000000000, repair: 2us, until: 30us}"
	}
	table, repair := "# in service, in repair\n9us 300ns\n200us 40ns\n700us 2us\n900us 1ns\n", ""
	if d.IntN(2) == 0 {
		table, repair = "12us\n700us # often\n700us\n", ", repair: 700ns"
	}
	file := filepath.Join(t.TempDir(), "outages.txt")
	if err := os.WriteFile(file, []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(", random: {file: %q%s, until: 30us}", file, repair)
}

// drawEthernetFaults describes NICs, switches and links of a network that drops or pauses packets that
// fail for some time.
func drawEthernetFaults(t *testing.T, d *rand.Rand) string {
	t.Helper()
	one := producttest.One
	text := fmt.Sprintf(
		"reroute: %s, detection: %dns, update: %dns, events: [", one(d, "same", "none"), d.IntN(4000), d.IntN(4000),
	)
	begin := 0 // the NIC may be at the switch, and faults of a link do not overlap
	for i, part := range []string{"switch: 0", "nic: 1"} {
		from := begin + d.IntN(5000)
		begin = from + 1 + d.IntN(4000)
		if i == 0 || d.IntN(2) == 0 {
			text += fmt.Sprintf("{%s, from: %dns, to: %dns%s}, ", part, from, begin, one(d, "", "", ", rate: 30%"))
		}
	}
	return text + "]" + drawRandomFaults(t, d)
}

// eachFaulted calls f with experiments on networks with faults. Some are refused, as tables before and
// after a fault could deadlock together.
func eachFaulted(t *testing.T, f func(t *testing.T, d *rand.Rand, x *drawn)) {
	t.Run("faults", func(t *testing.T) {
		t.Parallel()
		d := producttest.Draws(t)
		for range 2 * rounds() {
			call(f, t, d, refer(t, drawFaults(t, d), true))
		}
	})
}
