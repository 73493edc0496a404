// Package ethernet simulates networks whose switches drop, cut, mark or pause packets, instead of
// holding them by credits, and whose NICs retransmit packets and control congestion
// (docs/congestion.md).
//
// Its blocks can replace those of package fabric: they are fabric.Transports for the same
// endpoints, and the engine drives them through the same windows.
//
// # Model
//
// A switch stores a packet until it has all of it, chooses an output port by a hash among those on
// shortest paths, and queues the packet there. A NIC has flows, one for each NIC that it sends to
// and queue pair. A flow numbers its packets; its receiver acknowledges them, and the flow sends
// again what was lost. A message is received when all of its packets have arrived, and its send is
// complete when they all have been acknowledged.
//
// # Order
//
// The events of a block are processed in order of time, at the same instant by kind, and those of a
// kind by the port, NIC or flow. A port, NIC or flow has at most one event of a kind at an instant,
// except for frames of PFC, which keep their order. The kinds are, in order: a link changes (by the number of the change), a packet is in a
// switch (by the port through which it came), a packet is in a NIC, a port has sent a packet, a
// port is paused or resumed, a NIC is, a NIC has sent a packet, a message is posted ahead of time,
// a timer of a flow (by NIC and number of the flow), a grant of a NIC, a host wakes. What an event
// causes at the same instant without an event of its own is done at once.
//
// Events affect other routers and NICs only after the latency of a link. So the result does not
// depend on how routers are divided into blocks. A receiver has a place for a message as soon as it
// is posted, but acts on it only when its packets come.
//
// Whatever is drawn is a hash of the seed and of what identifies a packet. With S the output
// function of SplitMix64, including its step, ^ the exclusive or and products modulo 2^64, the
// number from 0 to 1 that is drawn of a packet at a port is (S(c^port) >> 11) / 2^53, where
//
//	a = S(seed ^ what<<56)       what: 1 to mark, 2 to cut
//	b = S(a ^ src<<32 ^ flow)
//	c = S(b ^ psn<<16 ^ times<<48 ^ kind<<56)
//
// and times is how often it had been sent before. A router chooses among n equal ports, in order of
// their IDs, by S((seed ^ src<<32 ^ dst ^ flow<<40 ^ entropy<<16 ^ router) * 0x9e3779b97f4a7c15) >>
// 32 modulo n. The seed of the paths of a flow is S(S(seed ^ src<<32 ^ dst) ^ pair).
//
// # Switches
//
// A packet takes size/rate, rounded up to a ps, on a link, then the latency of the link. It enters
// a switch when its end has arrived and the latency of switches has passed. A port has a queue of
// packets with payload for each class, and one of those without: acknowledgements and the like, and
// packets that have been cut. They count the packet that is being sent. Packets without payload go
// first, but after HeadersInRow of them, sent while packets with payload could have been, one with
// payload does. A packet without payload that does not fit is dropped.
//
// A packet with payload that does not fit is cut to its header or dropped. If ports share no
// buffer, the last packet of the queue suffers that in its place with probability 1/2, if what
// remains has room for it; a packet that is being sent never does. The other then stands in the
// place of the last, and is marked by the rules of every packet that is queued. ECN marks at a port
// by the bytes of its queue: with the packet when it is queued, or without it when it has been
// sent. A packet that is marked again counts again.
//
// # Classes
//
// What is said above of a queue is so of that of the packet's class. A port that sends a packet
// with payload takes it from a class with the greatest priority of those that are not paused and
// have one. Of these, the class whose turn it is sends, if its deficit is at least the size of its
// first packet, and is reduced by that. Otherwise the turn passes to the next of them, by number,
// cyclically, which may be the same, and its quantum is added to its deficit. A class whose queue
// has become empty loses its deficit. In the beginning it is the turn of the first class of each
// priority, all deficits are 0.
//
// NICs choose classes in the same way. First the flows that may not send leave the heads of the
// lists of classes that are not paused. A class loses its deficit if its list is empty after a flow
// that has sent could join it again.
//
// # Shared buffer
//
// A switch divides its buffer into a reserve and a headroom of each port and class, and a shared
// part. A packet with payload is charged to its class of the port through which it came: to its
// reserve and the shared part, if with the packet its bytes above the reserve are none, or no more
// than the threshold; otherwise to its headroom. If that has no room either, the packet does not
// fit. The threshold is what is free of the shared part, times Alpha. After a packet is charged,
// its port pauses its sender if something is in the headroom, or if bytes above the reserve have
// reached the threshold. When a packet has left, the headroom is refunded first. Then the port lets
// its sender go on if nothing is in the headroom, and nothing above the reserve or at least Resume
// less than the threshold. A frame takes the time of a packet of the size Control, and does not
// wait for others. It pauses packets with payload of the class.
//
// # NICs
//
// A NIC has a list, for each class, of flows that want to send, and a queue of packets without
// payload. A flow joins the list, at its end, when it may send: it has a packet, its window has
// room for it or nothing is under way, its rate allows it, and it has credit. When its turn comes,
// it leaves the list, and joins it again after its packet. If it may not send then, its turn is
// lost. Packets without payload go first, but of DataRatio packets that leave while the queue and
// the list are not empty, the last is the turn of the list.
//
// Messages of a NIC take its queue pairs in turn. Each class has queue pairs of its own, numbered
// after those of the class before. A flow is a pair of NICs and a queue pair. Flows of a NIC are
// numbered in order of their first messages.
//
// # Flows
//
// A flow sends what is to be sent again first, by number, then new packets. What it believes under
// way are the bytes of all packets that have been sent and are not to be sent again, less those
// that the receiver has told of. A packet asks for an acknowledgement if it is sent again, if no
// new packet is left, if the credit is used up, or if the window would be full with another of its
// size.
//
// The receiver acknowledges a packet that is new if it is the first of the flow, asks for it, or is
// marked; if AckEvery bytes have come since the last acknowledgement; or if it closes the last gap
// after some packet has asked. It acknowledges every packet that it already has. An acknowledgement
// tells the first missing packet, the bytes received, and which of 64 packets have come: those from
// the packet on, if that is marked or (being new) asks; otherwise those up to the packet, but from
// the one after the first missing on. It has the mark, the entropy value and the time of the
// packet.
//
// A packet that was cut, and that the receiver has not got, is refused. The sender sends it again
// if it is under way and has not been sent since. A flow that goes back takes packets in order
// only. It refuses others, and those that were cut, once in NackEvery for the same missing packet.
// The sender then takes all packets under way from the missing one on as lost.
//
// A flow has one timer. Each packet sent sets it to the timeout from then, if it would expire
// later. When it expires, what was last sent at least a timeout ago is sent again, by the timeout when
// it was sent; a flow that goes back sends everything again. The timer is set for the rest. It stops
// when all that was sent has arrived in a row. The timeout doubles each time that a packet expires that
// was sent with it or a longer one, up to 10 times, until the receiver tells of more bytes. If several
// timers of a flow are due, the order is: this one, that of the congestion control, a request for
// credit.
//
// If the congestion control uses notifications, the receiver sends one for a marked packet, but not
// sooner than its interval after the last. If it measures, a packet with payload takes from each
// port, when it has left, what it leaves behind, up to 10 times.
//
// # Credit
//
// Credit is counted in quanta from the begin of a flow. A flow begins with the initial credit, at
// least 1 B, which it also never exceeds. It speculates with it until anything comes back; then the
// rest is lost. A packet takes its size, and a flow with any credit may send a packet. Each packet
// with payload tells what the flow wants: what it has to send, at most the initial credit and the
// window and a packet, less its credit; while it speculates, and has new packets, at least a
// packet; divided by the flows in the lists of its NIC and one, toward zero; more than what it was
// granted, rounded up to quanta. A flow with no credit and nothing under way asks for credit by a
// packet of its own: not twice in the longest base round trip, and again after a timeout. If it has
// told of more than it was granted, it asks only after a timeout.
//
// A NIC grants credit to a flow at a time. It has a list of active flows and one of idle flows. A
// flow becomes active, at the end of the list, when it wants more than before, asks, or had a
// packet cut. A NIC that was granting nothing begins at that instant. The first active flow gets
// Grant, at most what it wants, and stays active, at the end, if it wants more, or becomes idle. If
// none is active, the first idle flow gets Grant. It stays idle, at the end, if it has no less than
// it wants and less than the initial credit more, and packets are missing of messages of which some
// have come, or none has come. The next grant follows when the bytes granted have passed at Share
// of the rate of the link; those of 1024 B, but at least a quantum, if nothing was granted.
//
// # Changes of links
//
// A direction of a link that goes down loses the packet that is being sent, those on the way and, at a
// port, those that are queued, by class, then those without payload. Each is lost when it would have
// arrived, left or been served, and refunds its shared buffer. Until the link is up, what comes to the
// port is lost in its place. A NIC keeps what it has not begun to send. Frames of PFC arrive on a link
// that is down or slower, in the time that they take without changes: a lost end of a pause would last
// for ever. A new rate is that of packets that start later.
//
// A router takes the shortest paths of the last epoch that has begun. Of equal ports it leaves out those
// that are to be avoided, unless these are all, and chooses among the rest by the same hash. If none
// leads to the destination, the packet is lost there.
//
// A flow sends no more if, after the last change, some link is down, packets have timed out 7 times in a
// row, or 64 requests for credit brought none, and by the shortest paths of the last epoch its packets or
// those that come back may meet a port that is down, or a router without a way. The next news from
// the receiver lets it go on.
//
// # Ways
//
// All of this section is about the network before changes. The base round trip of two NICs takes the first of equal ports everywhere. The longest one is
// taken to be that of the first NICs of the first two routers that are as many links apart as any,
// by the router of the receiver and then that of the sender.
package ethernet
