// Package causes divides the latency of a message into parts, each with the cause of its time. The
// parts are integers in picoseconds, and their sum is the latency, exactly.
package causes

// Part is one cause of a message's latency. They are listed in the order in which the message meets
// them. The times from NICQueue to ReceiveDMA pass between Message.Post and the message's delivery
// into memory, and belong to the network. The others belong to the node.
type Part uint8

// The parts. Those of the network are measured along the last packet that the NIC sends; where packets are
// dropped or paused, along the one whose arrival makes the message complete.
const (
	// from the call of send to the time at which the NIC may start
	Software    Part = iota // the communication library of the sender
	SendCopy                // copying at the sender
	Handshake               // a rendezvous: its control messages, and waiting for the receiver's answer
	SourceQueue             // waiting in the sender's node behind earlier messages

	// at the sender's NIC
	NICQueue        // waiting for the NIC or its bus, which handle other messages
	SendDMA         // transfer from memory, as far as it is not hidden behind the injection
	Serialization   // the time that all packets of the message take on a link
	Pacing          // pauses of the NIC between packets of the message; waiting for the rate of the transport
	InjectionCredit // waiting for space in the first router's buffer

	// between the NICs, summed over the hops
	Wire     // cable latency
	Pipeline // fixed delays of routers
	Order    // waiting behind others in a FIFO
	Output   // waiting for the output, which carries other packets
	Crossbar // waiting for the crossbar's input, which another packet of the same port uses
	Credit   // waiting for space in the next router's buffer, or for the owner of the output VC
	Ejection // waiting for the link to the destination's NIC, and for space there

	// at the receiver's NIC
	ReceiveNIC // waiting for the NIC or its bus, which handle other packets
	ReceiveDMA // transfer to memory
	Overtaken  // waiting for earlier packets of the message, which took other routes

	// in networks that drop or pause packets
	Window     // waiting for the window of the transport, or for credit of the receiver
	Pause      // waiting for the end of a pause
	Repetition // from the loss of a packet until the sender knows that it must be sent again

	// from the delivery to the end of the receive
	Matching        // waiting for the receive to be posted
	ReceiveWait     // waiting until the receiving rank handles the message
	ReceiveCopy     // copying at the receiver
	ReceiveSoftware // the communication library of the receiver

	Count // number of parts
)

// First and last part of the network.
const (
	FirstOfNetwork = NICQueue
	LastOfNetwork  = Repetition
)

var names = [Count]string{
	"software", "send-copy", "handshake", "source-queue",
	"nic-queue", "send-dma", "serialization", "pacing", "injection-credit",
	"wire", "pipeline", "order", "output", "crossbar", "credit", "ejection",
	"receive-nic", "receive-dma", "overtaken", "window", "pause", "repetition",
	"matching", "receive-wait", "receive-copy", "receive-software",
}

// String returns the name of the part in tables and reports.
func (p Part) String() string {
	if p >= Count {
		return "unknown"
	}
	return names[p]
}

// Waits reports whether the part is time in which the message waits for something that others use.
// The remaining parts also exist for a message that is alone.
func (p Part) Waits() bool {
	switch p {
	case SourceQueue, NICQueue, InjectionCredit, Order, Output, Crossbar, Credit, Ejection, ReceiveNIC, Overtaken,
		Pause, Repetition, Matching, ReceiveWait:
		return true
	}
	return false
}

// Parts is the latency of a message (ps) by cause.
type Parts [Count]int64

// Sum returns the time (ps) of all parts.
func (p *Parts) Sum() (sum int64) {
	for _, time := range p {
		sum += time
	}
	return sum
}

// Network returns the time (ps) of the network's parts: the message's delivery minus its Post.
func (p *Parts) Network() (sum int64) {
	for part := FirstOfNetwork; part <= LastOfNetwork; part++ {
		sum += p[part]
	}
	return sum
}

// Add adds the parts of another message.
func (p *Parts) Add(other *Parts) {
	for part := range p {
		p[part] += other[part]
	}
}
