package files

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/internal/pattern"
	"fabricast/topology"
)

// dumpHead matches the line before the forwarding table of an InfiniBand switch, as ibroute and dump_fts
// print it and OpenSM writes it into opensm-lfts.dump. Its group is the switch's GUID.
var dumpHead = pattern.Lazy(`(?m)^Unicast lids \[.*\] of switch .*\bguid 0x([0-9a-fA-F]{1,16})\b`)

// dumpEntry matches an entry: the LID of the destination, the port to it, and a remark.
var dumpEntry = pattern.Lazy(`^[ \t]*(0x[0-9a-fA-F]{1,4}|\d{1,5})[ \t]+(\d{1,3})(?:[ \t]*|[ \t]+[:#].*)$`)

// dumpFrame matches what stands before and after the entries of a switch, and messages of the tools.
var dumpFrame = pattern.Lazy(`^[ \t]*(Lid +Out +Destination|Port +Info|\d+ (valid )?lids dumped|ibwarn: .*|ibroute: .*)?[ \t]*$`)

// IsDump reports whether a text has forwarding tables of InfiniBand switches, which ReadDump reads.
func IsDump(text string) bool { return dumpHead().MatchString(text) }

// dumpReader reads the tables of InfiniBand switches into tables by router and host.
type dumpReader struct {
	*Tables
	routers map[uint64]int32 // by GUID
	byLID   map[int]int32    // host by LID
	ports   []map[int]uint16 // by router: local port by its number on the switch
	read    map[int32]int    // routers whose tables were read, with the line
	current int32            // router of the table; noTable before the first, unknownSwitch after a mistake
	others  int              // entries for LIDs that no host has
	wrong   Errors
}

// Values of dumpReader.current that are no router.
const (
	noTable       = -1
	unknownSwitch = -2
)

// ReadDump reads the forwarding tables of InfiniBand switches. t must know its GUIDs, LIDs and the
// numbers of its ports. Errors are as those of ReadTables.
func ReadDump(t topology.Topology, text string) (*Tables, error) {
	net, labeled := t.(topology.Labeled)
	if !labeled || net.Labels() == nil || len(net.Labels().HostLIDs) == 0 {
		return nil, Errors{{
			Line: 1, Column: 1, Width: 1, Found: "forwarding tables of InfiniBand switches",
			Expected: "them only with a topology file that gives GUIDs, LIDs and numbers of ports: the output of ibnetdiscover",
		}}
	}
	d := newDumpReader(net)
	n := 0
	for line := range strings.Lines(text) {
		if n++; len(d.wrong) >= maxFileErrors {
			break
		}
		d.line(strings.TrimRight(line, "\r\n"), n)
	}
	if len(d.wrong) > 0 {
		return nil, d.wrong
	}
	if d.others > 0 {
		d.ignored = fmt.Sprintf("%d entries for LIDs that are not the first of a host, such as those of switches", d.others)
	}
	if err := d.reach(); err != nil {
		return nil, err
	}
	return d.Tables, nil
}

func newDumpReader(net topology.Labeled) *dumpReader {
	g, labels := net.Graph(), net.Labels()
	d := &dumpReader{
		Tables: newTables(net.Graph(), net), routers: map[uint64]int32{}, byLID: map[int]int32{},
		ports: make([]map[int]uint16, g.Routers), read: map[int32]int{}, current: noTable,
	}
	for r, id := range labels.Routers {
		if guid, err := strconv.ParseUint(id, 16, 64); err == nil {
			d.routers[guid] = int32(r)
		}
	}
	for host, lid := range labels.HostLIDs {
		if lid > 0 {
			d.byLID[int(lid)] = int32(host)
		}
	}
	for r := range g.Routers {
		d.ports[r] = map[int]uint16{}
		for p := range int(g.PortBase[r+1] - g.PortBase[r]) {
			if number := net.PortNumber(r, p); number > 0 {
				d.ports[r][number] = uint16(p)
			}
		}
	}
	return d
}

// line reads one line.
func (d *dumpReader) line(line string, number int) {
	entry := dumpEntry().FindStringSubmatchIndex(line)
	head := dumpHead().FindStringSubmatchIndex(line)
	switch {
	case head != nil:
		d.head(line, head, number)
	case entry != nil && d.current >= 0:
		d.entryAt(line, entry, number)
	case entry != nil:
		if d.current == noTable {
			d.fail(line, 0, len(line), number, "an entry", "the line of a switch before it")
		}
	case dumpFrame().MatchString(line):
	case strings.HasPrefix(line, "Multicast"):
		d.fail(line, 0, len(line), number, "a multicast table", "tables for unicast: dump_fts without -M")
	default:
		d.fail(line, 0, len(line), number, line, `an entry such as "0x0004 033 : (...)": LID and port`)
	}
}

// head begins the table of a switch.
func (d *dumpReader) head(line string, at []int, number int) {
	guid, _ := strconv.ParseUint(line[at[2]:at[3]], 16, 64) // as dumpHead demands
	router, known := d.routers[guid]
	d.current = unknownSwitch
	if !known {
		d.fail(line, at[2], at[3], number, "switch "+line[at[2]:at[3]], "the GUID of a switch in the topology's file")
		return
	}
	if before, twice := d.read[router]; twice {
		d.fail(line, at[2], at[3], number, "switch "+line[at[2]:at[3]]+" a second time",
			fmt.Sprintf("one table for each switch (the first is line %d)", before))
		return
	}
	d.read[router], d.current = number, router
}

// entryAt reads the port to a LID.
func (d *dumpReader) entryAt(line string, at []int, number int) {
	digits, base := line[at[2]:at[3]], 10
	if after, hexadecimal := strings.CutPrefix(digits, "0x"); hexadecimal {
		digits, base = after, 16
	}
	lid, _ := strconv.ParseInt(digits, base, 32) // as dumpEntry demands
	port, _ := strconv.Atoi(line[at[4]:at[5]])
	host, isHost := d.byLID[int(lid)]
	if !isHost {
		d.others++
		return
	}
	if strings.Contains(line[at[5]:], "illegal port") || d.graph.HostRouter(int(host)) == int(d.current) {
		return // no route, or the last hop, to the host's own port
	}
	local, known := d.ports[d.current][port]
	if !known {
		d.fail(line, at[4], at[5], number, fmt.Sprintf("port %d of %s", port, d.name(d.current)),
			"a port with a cable to another switch in the topology's file")
		return
	}
	e := &d.entry[int(d.current)*d.hosts+int(host)]
	if e.Port != missing {
		d.fail(line, at[2], at[3], number, "LID "+line[at[2]:at[3]]+" a second time", "one entry for each LID")
		return
	}
	*e = Step{local, AnyVC}
}

// fail records a mistake in part of a line.
func (d *dumpReader) fail(line string, from, to, number int, found, expected string) {
	d.wrong = append(d.wrong, &Error{
		Line: number, Column: 1 + utf8.RuneCountInString(line[:from]), Width: utf8.RuneCountInString(line[from:to]),
		Found: found, Expected: expected,
	})
}
