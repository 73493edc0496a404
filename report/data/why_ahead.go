package data

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/holders"
	"fabricast/internal/predict"
	"fabricast/internal/why"
	"fabricast/record"
)

// mostHolders is the largest number of waits of a segment that are listed one by one.
const mostHolders = 12

// holder is for how long a message on the path waited for a link because of messages between two hosts.
type holder struct {
	holderKey
	time     int64
	messages int64 // number of messages ahead
}

type holderKey struct {
	segment    int
	cause      string
	link, root int64 // rows in the table of links; -1 if that has no such link
	rank       int64 // that sent the messages ahead; -1 if several; -2: the link was down
	from, to   int64 // their hosts; -1 if several
	itself     int64 // 1: earlier packets of the message itself were ahead
}

// linkDown is the rank of a holder that is a link which was down.
const linkDown = -2

// numbers returns the segments that a message is part of, by the number that other tables give it.
func (b *builder) numbers(list []pathPart) map[int64][]int {
	hosts := b.hosts()
	of := map[int64][]int{}
	for i := range list {
		m := list[i].Message
		if m == nil || m.Number == 0 || !crosses(list[i].Cause) || int(max(m.Source, m.Destination)) >= len(hosts) {
			continue
		}
		from, to := hosts[m.Source], hosts[m.Destination]
		switch list[i].Cause {
		case why.Request:
			number := fabric.MessageNumber(int32(from), int32(to), m.Tag, 0, m.Send)
			of[number] = append(of[number], i)
		case why.Data:
			back := fabric.MessageNumber(int32(to), int32(from), m.Tag, 0, m.Send)
			of[back] = append(of[back], i)
			fallthrough
		default:
			of[m.Number] = append(of[m.Number], i)
		}
	}
	return of
}

// crosses reports whether a segment is time of messages in the network, whose numbers are known.
func crosses(c why.Cause) bool {
	switch c {
	case why.Network, why.Request, why.Data, why.NICRead, why.Match:
		return true
	}
	return false
}

// hosts returns the host of each rank.
func (b *builder) hosts() []int64 {
	if b.ranks == nil || !b.ranks.has("host") {
		return nil
	}
	return b.ranks.column("host").ints
}

// ahead adds who held what the messages on the path waited for, and returns it.
func (b *builder) ahead(list []pathPart) []holder {
	if !b.reader.Has(record.WaitsTable) {
		return nil
	}
	of := b.numbers(list)
	sums := map[holderKey]*holder{}
	for row, err := range record.Rows[record.Wait](b.reader, record.WaitsTable) {
		if err != nil {
			b.unreadable(record.WaitsTable, err)
			return nil
		}
		for _, i := range of[row.Message] {
			rank := int64(row.HolderSourceRank)
			if row.Failed() {
				rank = linkDown
			}
			add(sums, &holder{holderKey{
				segment: i, cause: row.Cause, link: b.linkRow(row.Link), root: b.linkRow(row.HolderLink),
				rank: rank, from: int64(row.HolderSource), to: int64(row.HolderDestination),
				itself: oneIf(row.Holder == row.Message),
			}, row.Wait, 1})
		}
	}
	by := map[int][]holder{}
	for key, h := range sums {
		by[key.segment] = append(by[key.segment], *h)
	}
	var all []holder
	for i := range list {
		all = append(all, fewest(by[i])...)
	}
	b.put("why_holders", holdersTable(all))
	return all
}

func oneIf(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// linkRow returns the row of a link in the report's table; -1 if that does not have it.
func (b *builder) linkRow(link int32) int64 {
	if link < 0 || int(link) >= len(b.rowOf) || b.rowOf[link] >= mostLinks {
		return -1
	}
	return int64(b.rowOf[link])
}

// fewest returns the longest waits, and the others together by cause.
func fewest(list []holder) []holder {
	slices.SortFunc(list, func(x, y holder) int {
		return cmp.Or(
			cmp.Compare(y.time, x.time), cmp.Compare(x.link, y.link), cmp.Compare(x.root, y.root),
			cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to), cmp.Compare(x.rank, y.rank),
			cmp.Compare(x.cause, y.cause), cmp.Compare(x.itself, y.itself),
		)
	})
	if len(list) <= mostHolders {
		return list
	}
	rest := map[holderKey]*holder{}
	for _, h := range list[mostHolders:] {
		h.link, h.root, h.rank, h.from, h.to, h.itself = -1, -1, -1, -1, -1, 0
		add(rest, &h)
	}
	out := list[:mostHolders:mostHolders]
	keys := slices.SortedFunc(maps.Keys(rest), func(x, y holderKey) int { return cmp.Compare(x.cause, y.cause) })
	for _, key := range keys {
		out = append(out, *rest[key])
	}
	return out
}

// add adds a wait to those for the same reason.
func add(sums map[holderKey]*holder, h *holder) {
	if of := sums[h.holderKey]; of != nil {
		of.time += h.time
		of.messages += h.messages
		return
	}
	sums[h.holderKey] = h
}

func holdersTable(list []holder) *frame {
	if len(list) == 0 {
		return nil
	}
	f := &frame{}
	ints := func(name string, of func(h *holder) int64) {
		values := make([]int64, len(list))
		for i := range list {
			values[i] = of(&list[i])
		}
		f.addInts(name, values)
	}
	ints("segment", func(h *holder) int64 { return int64(h.segment) })
	ints("wait_ps", func(h *holder) int64 { return h.time })
	ints("messages", func(h *holder) int64 { return h.messages })
	ints("link", func(h *holder) int64 { return h.link })
	ints("holder_link", func(h *holder) int64 { return h.root })
	ints("holder_rank", func(h *holder) int64 { return h.rank })
	ints("holder_source", func(h *holder) int64 { return h.from })
	ints("holder_destination", func(h *holder) int64 { return h.to })
	ints("itself", func(h *holder) int64 { return h.itself })
	cause, codes := &column{name: "cause", codes: []int32{}}, map[string]int32{}
	for i := range list {
		cause.word(list[i].cause, codes)
	}
	f.add(cause)
	return f
}

// ways returns the links that the messages of segments pass, in order: as routing leads all messages
// between two hosts, or as the hops of their last packets were recorded. It returns nil if neither is
// known.
func (b *builder) ways(list []pathPart) *frame {
	if b.plan == nil || b.plan.Fabric.Graph == nil || b.links == nil || b.plan.Experiment.Network.Routerless() {
		return nil
	}
	by := make([][]int64, len(list))
	alone := predict.NewAlone(b.plan)
	switch {
	case alone.Fixed() && b.plan.Fabric.Graph.NICsPerHost == 1:
		b.routed(list, by, alone)
	case b.reader.Has(record.HopsTable):
		b.hopped(list, by)
	default:
		return nil
	}
	segment, link := []int64{}, []int64{}
	for i, way := range by {
		for _, l := range way {
			segment, link = append(segment, int64(i)), append(link, l)
		}
	}
	if len(link) == 0 {
		return nil
	}
	f := &frame{}
	f.addInts("segment", segment)
	f.addInts("link", link)
	return f
}

// routed finds ways by the routing algorithm.
func (b *builder) routed(list []pathPart, by [][]int64, alone *predict.Alone) {
	hosts, links := b.hosts(), holders.Links(&b.plan.Fabric)
	known := map[[2]int64][]int64{}
	for i := range list {
		m := list[i].Message
		if m == nil || m.Number == 0 || !crosses(list[i].Cause) || int(max(m.Source, m.Destination)) >= len(hosts) {
			continue
		}
		key := [2]int64{hosts[m.Source], hosts[m.Destination]}
		if _, found := known[key]; !found {
			known[key] = b.route(alone, links, int32(key[0]), int32(key[1]))
		}
		by[i] = known[key]
	}
}

// route returns the links from a host to another; nil if there is no route.
func (b *builder) route(alone *predict.Alone, links []int32, from, to int32) []int64 {
	way, err := alone.Way(from, to)
	if err != nil {
		return nil
	}
	rows := []int64{b.linkRow(injection(links, from))}
	for _, port := range way.Ports {
		rows = append(rows, b.linkRow(links[port]))
	}
	return slices.DeleteFunc(rows, func(row int64) bool { return row < 0 })
}

// injection returns the link on which a NIC sends: it follows those of all ports.
func injection(links []int32, nic int32) int32 { return slices.Max(links) + 1 + nic }

// hopped finds ways in the table of hops.
func (b *builder) hopped(list []pathPart, by [][]int64) {
	of, links := b.numbers(list), holders.Links(&b.plan.Fabric)
	columns := []string{"message", "last", "stage", "out_port", "start_ps"}
	err := scan(b.reader, record.HopsTable, columns, func(part [][]int64) {
		for k, message := range part[0] {
			segments := of[message]
			if len(segments) == 0 || part[1][k] == 0 || part[2][k] > 1 {
				continue
			}
			link := int32(-1)
			if port := part[3][k]; part[2][k] == 0 {
				link = injection(links, int32(port))
			} else if port >= 0 && port < int64(len(links)) {
				link = links[port]
			}
			row := b.linkRow(link)
			for _, i := range segments {
				if at := part[4][k]; row >= 0 && at >= list[i].Begin && at <= list[i].End {
					by[i] = append(by[i], row)
				}
			}
		}
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.unreadable(record.HopsTable, err)
	}
}
