package channels

// Protocol is how threads of two GPUs exchange data.
type Protocol int

// The protocols. Simple sends plain data, and waits and signals for each slice. LL sends 4 bytes of
// data with each flag of 4 bytes. LL128 has a flag of 8 bytes in each line of 128.
const (
	LL Protocol = iota
	LL128
	Simple
)

var protocolNames = [...]string{"ll", "ll128", "simple"}

// String returns the name of the protocol.
func (p Protocol) String() string { return protocolNames[p] }

// stepsInFlight is the number of steps that a buffer between two threads holds (NCCL_STEPS).
const stepsInFlight = 8

// Wire returns the number of bytes that are sent for n bytes of data.
func (p Protocol) Wire(n int) int {
	switch p {
	case LL:
		return (n + 7) / 8 * 16
	case LL128:
		return (n + 119) / 120 * 128
	}
	return n
}

// linesAtOnce is the number of parts of a chunk by LL128. Each line has its flag, so that threads pass on
// the first lines of a chunk while the last ones are still to come; here they do so part by part.
const linesAtOnce = 4

// step returns the data, in bytes, that a step of a buffer holds: 8 lines of 16 bytes for each of 512
// threads, half of which are flags; 120 words of 8 bytes for each of 640 threads, a sixteenth of
// which are flags; an eighth of 4 MiB.
func (p Protocol) step() int {
	switch p {
	case LL:
		return 32 << 10
	case LL128:
		return 120 * 640 * 8 / 128 * 120
	}
	return 512 << 10
}

// threads returns the number of threads of a channel.
func (p Protocol) threads() int {
	if p == LL {
		return 512
	}
	return 640
}

// threshold returns the number of bytes for each thread below which fewer channels are used.
func (p Protocol) threshold(w Way, ranks int) int {
	switch {
	case p == LL && w == Ring:
		return 8 * ranks
	case p == Simple:
		return 64
	}
	return 8
}

// leastTraffic is the number of bytes below which a channel is not worth its start.
const leastTraffic = 16 << 10

// channels returns how many of the channels a call uses. bytes is the size of the largest buffer of
// a rank, and traffic the number of bytes that a rank sends.
func (p Protocol) channels(most, bytes, traffic int, w Way, ranks int) int {
	if p == LL {
		traffic *= 4
	}
	by := bytes / (p.threads() * p.threshold(w, ranks))
	return max(1, min(most, by, (traffic+leastTraffic-1)/leastTraffic))
}

// grain is the smallest unit of data into which buffers are divided, in bytes.
const grain = 16

// unit returns the smallest size (bytes) of whole grains and whole elements.
func unit(elem int) int {
	u := max(elem, 1)
	for u%grain != 0 {
		u *= 2
	}
	return u
}

// round rounds a size up to whole grains and whole elements.
func round(n, elem int) int { return (n + unit(elem) - 1) / unit(elem) * unit(elem) }
