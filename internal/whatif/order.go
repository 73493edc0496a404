package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"fabricast/internal/causes"
	"fabricast/internal/predict"
	"fabricast/internal/why"
	"fabricast/record"
)

// order finds by how much durations may change so that the order of all events that meet is kept.
type order struct {
	*pricer
	folder   *record.Reader
	up, down float64 // shares by which durations may grow, and shrink
	rounding int64   // ps: by how much more an event may move because transfer times are whole
	long     map[[2]int32]int64
	hosts    map[int32]*hostEvents
	messages []passage
}

// hostEvents are the events that concern the rank of a host.
type hostEvents struct {
	bounds   []int64 // ps: when the rank turns to something else; ascending
	waits    []record.Step
	arrivals []arrival
}

// arrival is a message that arrives in the memory of a host.
type arrival struct {
	at   int64 // ps
	from int32 // host
}

// passage is a message with the way that it takes.
type passage struct {
	row record.Division
	way *predict.Way
}

// mostMessages is the number of messages up to which ranges are found.
const mostMessages = 100_000

// find looks at all events of the run. It returns the reason if nothing can be told.
func (o *order) find() (missing string, err error) {
	steps, missing, err := o.readSteps()
	if missing != "" || err != nil {
		return missing, err
	}
	packets, missing, err := o.readMessages()
	if missing != "" || err != nil {
		return missing, err
	}
	o.rounding = 4 * (steps + packets)
	o.long = map[[2]int32]int64{}
	for i := range o.path.Segments {
		for _, f := range o.path.Segments[i].Flights {
			if packet := &o.plan.Fabric.Packet; packet.Count(f.Bytes) > 1 {
				key := [2]int32{f.Source, f.Destination}
				o.long[key] = max(o.long[key], packet.WireOf(f.Bytes))
			}
		}
	}
	if !o.streams(&o.base) {
		return "links, crossbars and memory are too nearly alike, or buffers too small", nil
	}
	for _, look := range []func() string{o.arrived, o.fetches, o.meetings} {
		if missing = look(); missing != "" {
			return missing, nil
		}
	}
	if missing, err = o.ends(); missing != "" || err != nil {
		return missing, err
	}
	if o.up <= 0 && o.down <= 0 {
		return "events that meet follow one another too closely", nil
	}
	o.up, o.down = max(0, o.up), max(0, o.down)
	return "", nil
}

// unordered are the causes of steps whose times depend on more than the order of events.
var unordered = []string{
	record.CausePolling, record.CauseTimer, record.CauseTurn, record.CauseAccess,
}

// readSteps reads what ranks do.
func (o *order) readSteps() (steps int64, missing string, err error) {
	host := o.plan.Hosts
	for rank, h := range host {
		if o.hosts[h] != nil {
			return 0, fmt.Sprintf("host %d has several ranks", h), nil
		}
		o.hosts[host[rank]] = &hostEvents{}
	}
	for s, err := range record.Rows[record.Step](o.folder, record.StepsTable) {
		switch {
		case err != nil:
			return 0, "", err
		case int(s.Rank) >= len(host):
			return 0, "", fmt.Errorf("%s is damaged: rank %d", record.StepsTable, s.Rank)
		case s.Noise > 0 || s.Peer == s.Rank || slices.Contains(unordered, s.Cause):
			return 0, fmt.Sprintf("rank %d polls, computes apart, uses one-sided operations, or sends to "+
				"itself", s.Rank), nil
		}
		if steps++; steps > mostMessages {
			return 0, "the run is too long", nil
		}
		h := o.hosts[host[s.Rank]]
		if n := len(h.bounds); n == 0 {
			h.bounds = append(h.bounds, s.Begin)
		}
		h.bounds = append(h.bounds, s.End)
		if s.State == record.StateWait || s.State == record.StateReceiveWait {
			h.waits = append(h.waits, s)
		}
	}
	return steps, "", nil
}

// readMessages reads the messages of the network, none of which may wait for others.
func (o *order) readMessages() (packets int64, missing string, err error) {
	waiting := 0
	for row, err := range record.Rows[record.Division](o.folder, record.CausesTable) {
		if err != nil {
			return 0, "", err
		}
		if len(o.messages) == mostMessages {
			return 0, "the run is too long", nil
		}
		parts := row.Parts()
		for part, time := range parts {
			if time > 0 && causes.Part(part).Waits() {
				waiting++
				break
			}
		}
		f := why.Flight{Source: row.SourceHost, Destination: row.DestinationHost}
		if err := o.route(&f); err != nil {
			return 0, "", err
		}
		to := o.hosts[row.DestinationHost]
		if to == nil || o.hosts[row.SourceHost] == nil {
			return 0, "", fmt.Errorf("%s is damaged: host %d", record.CausesTable, row.DestinationHost)
		}
		to.arrivals = append(to.arrivals, arrival{row.Delivery, row.SourceHost})
		o.messages = append(o.messages, passage{row, o.ways[[2]int32{f.Source, f.Destination}]})
		packets += o.plan.Fabric.Packet.Count(row.Bytes)
	}
	switch waiting {
	case 0:
	case 1:
		return 0, "a message waits for others", nil
	default:
		return 0, fmt.Sprintf("%d messages wait for others", waiting), nil
	}
	return packets, "", nil
}

// arrived demands that messages arrive at each host in the same order, and meet the rank at the
// same point of its program.
func (o *order) arrived() string {
	for host, h := range o.hosts {
		if len(h.bounds) == 0 && len(h.arrivals) > 0 {
			return fmt.Sprintf("the rank of host %d does nothing that takes time", host)
		}
		slices.SortFunc(h.arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
		for i, a := range h.arrivals {
			if i > 0 {
				if h.arrivals[i-1].at == a.at {
					return fmt.Sprintf("two messages arrive at host %d at the same time", host)
				}
				o.before(h.arrivals[i-1].at, a.at)
			}
			next, at := slices.BinarySearch(h.bounds, a.at)
			if at && !o.endsWait(h, &a) {
				return fmt.Sprintf("a message arrives at host %d when its rank turns to something else", host)
			}
			if next > 0 {
				o.before(h.bounds[next-1], a.at)
			}
			if !at && next < len(h.bounds) {
				o.before(a.at, h.bounds[next])
			}
		}
	}
	return ""
}

// endsWait reports whether a wait of the host's rank ends with what has arrived.
func (o *order) endsWait(h *hostEvents, a *arrival) bool {
	s := h.waitUntil(a.at)
	if s == nil || o.plan.Hosts[s.Peer] != a.from {
		return false
	}
	switch s.Cause {
	case record.CauseMessage, record.CauseRequest, record.CauseData, record.CauseMatch:
		return true
	}
	return false
}

// waitUntil returns the wait that ends at a time (ps); nil if none does.
func (h *hostEvents) waitUntil(at int64) *record.Step {
	i, found := slices.BinarySearchFunc(h.waits, at, func(s record.Step, at int64) int {
		return cmp.Compare(s.End, at)
	})
	if !found || h.waits[i].Peer < 0 {
		return nil
	}
	return &h.waits[i]
}

// fetches demands that the rank, and what arrives, stay on the same side of the time at which the
// NIC has read a message from memory. This time is known if the rank waits for it; otherwise all
// the time is taken until the message has left the NIC.
func (o *order) fetches() string {
	for i := range o.messages {
		m := &o.messages[i]
		if m.row.Bytes == 0 {
			continue // there is nothing to read
		}
		h := o.hosts[m.row.SourceHost]
		from, at := slices.BinarySearch(h.bounds, m.row.Post)
		switch {
		case at:
			from++
		case from > 0:
			o.before(h.bounds[from-1], m.row.Post)
		}
		until, known := m.left(), false
		for _, b := range h.bounds[from:] {
			if b > until || known {
				break
			}
			if s := h.waitUntil(b); s != nil && s.Cause == record.CauseFetch && s.From == m.row.Send &&
				o.plan.Hosts[s.Peer] == m.row.DestinationHost {
				until, known = b, true
			}
		}
		if !o.apart(h, m.row.Post, until, known) {
			return fmt.Sprintf("a rank goes on while the NIC of host %d may read its message",
				m.row.SourceHost)
		}
	}
	return ""
}

// apart demands that the end of the reading of a message is not met by what the rank does, nor by
// arrivals. It is known, or lies between two times; then it returns false if one of them does, too.
func (o *order) apart(h *hostEvents, post, until int64, known bool) bool {
	meets := func(at int64, causes bool) bool {
		switch {
		case at > until && !causes:
			o.before(until, at)
		case at < until && known:
			o.before(at, until)
		case at <= until && !causes:
			return false
		}
		return true
	}
	next, _ := slices.BinarySearch(h.bounds, post+1)
	for _, b := range h.bounds[next:] {
		if !meets(b, known && b >= until) { // the rank goes on because the NIC has read the message
			return false
		}
		if b >= until {
			break
		}
	}
	// what arrives at the time of the post has caused it
	next, _ = slices.BinarySearchFunc(h.arrivals, post+1, func(a arrival, at int64) int {
		return cmp.Compare(a.at, at)
	})
	for _, a := range h.arrivals[next:] {
		if !meets(a.at, false) {
			return false
		}
		if a.at >= until {
			break
		}
	}
	return true
}

// left returns a time (ps) at which the whole message has left its NIC.
func (m *passage) left() int64 {
	return m.row.Post + m.row.SendDMA + m.row.Serialization
}

// use is the time in which a message may use a link, or a NIC, and the buffer behind it.
type use struct {
	begin, end int64
	of         *passage
}

// meetings demands that messages do not meet: each link, with the buffer behind it, and each NIC is
// used by one after the other, and its credits are back.
func (o *order) meetings() string {
	uses := map[int64][]use{} // by port; those of NICs are negative
	farthest := int64(0)
	for _, l := range o.base.Links {
		farthest = max(farthest, int64(l.Latency))
	}
	for i := range o.messages {
		m := &o.messages[i]
		links := m.way.Links
		head, tail := m.row.Post, m.left()+int64(o.base.Router)
		enter := func(port int64, class uint16, last bool) {
			end := tail + int64(o.base.Links[class].Latency)
			if last {
				end = m.row.Delivery
			}
			uses[port] = append(uses[port], use{head, end, m})
			head += int64(o.base.Links[class].Latency)
			tail = end + int64(o.base.Router)
		}
		enter(-1-int64(m.row.SourceHost), links[0], false)
		for k, port := range m.way.Ports {
			if k == len(m.way.Ports)-1 {
				enter(int64(port), links[1], true)
			} else {
				enter(int64(port), links[2+k], false)
			}
		}
	}
	for _, list := range uses {
		if text := o.oneAfterOther(list, farthest); text != "" {
			return text
		}
	}
	return ""
}

// oneAfterOther demands that messages use a link one after the other, and find room behind it.
func (o *order) oneAfterOther(list []use, credit int64) string {
	slices.SortFunc(list, func(a, b use) int { return cmp.Compare(a.begin, b.begin) })
	packet := &o.plan.Fabric.Packet
	buffer := int64(o.plan.Fabric.Router.Buffer)
	sum, all := int64(0), int64(0)
	for i := range list {
		all += packet.WireOf(list[i].of.row.Bytes)
	}
	first := 0
	for i := range list {
		u := &list[i]
		size := packet.WireOf(u.of.row.Bytes)
		if i > 0 {
			if list[i-1].end >= u.begin {
				return meeting(list[i-1].of, u.of)
			}
			o.before(list[i-1].end, u.begin)
		}
		if all <= buffer {
			continue
		}
		for ; first < i && list[first].end+credit < u.begin; first++ {
			o.before(list[first].end+credit, u.begin)
			sum -= packet.WireOf(list[first].of.row.Bytes)
		}
		if sum += size; first < i && sum > buffer {
			return "messages may wait for room that earlier ones still have"
		}
	}
	return ""
}

// ends demands that the same rank ends last. Where several do, their paths must consist of the
// same.
func (o *order) ends() (missing string, err error) {
	last := o.path.Predicted
	var same []int32
	for row, err := range record.Rows[record.Rank](o.folder, record.RanksTable) {
		switch {
		case err != nil:
			return "", err
		case row.End < last:
			o.before(row.End, last)
		case row.Rank != o.path.Last:
			same = append(same, row.Rank)
		}
	}
	if len(same) > mostEnds {
		return fmt.Sprintf("%d ranks end at the same time", len(same)+1), nil
	}
	terms, err := o.terms(o.path)
	if err != nil {
		return "", err
	}
	for _, rank := range same {
		path, err := why.FindOf(o.folder, rank)
		if err != nil {
			return "", err
		}
		others, err := o.terms(path)
		if err != nil {
			return "", err
		}
		if !maps.Equal(terms, others) {
			return fmt.Sprintf("ranks %d and %d end at the same time, by paths that consist of different "+
				"things", o.path.Last, rank), nil
		}
	}
	return "", nil
}

// mostEnds is the number of ranks that may end at the same time as the last one.
const mostEnds = 64

// terms counts what the time of a path is computed from.
func (o *order) terms(path *why.Path) (map[string]int, error) {
	list := map[string]int{}
	for i := range path.Segments {
		s := &path.Segments[i]
		size := int64(-1)
		if s.Message != nil {
			size = s.Message.Bytes
		}
		text := fmt.Sprint(s.Cause, s.Time, size)
		if len(s.Flights) > 0 {
			text = ""
		}
		for k := range s.Flights {
			f := &s.Flights[k]
			if err := o.route(f); err != nil {
				return nil, err
			}
			links := slices.Sorted(slices.Values(o.ways[[2]int32{f.Source, f.Destination}].Links))
			text += fmt.Sprint(f.Bytes, f.Time, links, ";")
		}
		list[text]++
	}
	return list, nil
}
