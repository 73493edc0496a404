package collective

import "fabricast/node"

// Threaded is a Comm on which a rank can run several threads at once in an algorithm, such as the
// thread blocks of a GPU.
type Threaded interface {
	Comm
	// Threads reports whether it can do so now. If not, only Spend and IsendBy may be called.
	Threads() bool
	// Clock returns the time of the rank in ps.
	Clock() int64
	// Timer starts a request that is complete in d ps.
	Timer(d int64) node.Request
	// Any waits until one of the requests is complete, sets it to the zero Request, and returns its
	// index.
	Any(rs []node.Request) int
	// Spend makes the rank itself busy for d ps.
	Spend(d int64)
	// NICs returns the number of NICs of a host.
	NICs() int
	// IsendBy is like Isend, by a NIC of the rank's host and the same NIC of the destination's.
	IsendBy(buf node.Buf, dst, tag, nic int) node.Request
}

// Channels is the number of channels that ChannelTag distinguishes.
const Channels = 128

// ChannelTag returns the tag of the messages of one of several parts of a collective that threads of
// an accelerator carry out at their own pace (see [node.ByDevice]). tag is that of the collective.
func ChannelTag(tag, channel int) int { return tag | channel<<tagBits | int(node.ByDevice) }

// FlagTag returns the tag of messages without data by which the threads of ChannelTag say that data is
// there.
func FlagTag(tag, channel int) int { return ChannelTag(tag, channel) | Channels<<tagBits }

// RelayTag returns the tag of messages that a rank of the same node passes on to another node. key tells
// apart what a rank sends in a channel, and is below RelayKeys.
func RelayTag(tag, channel, key int) int { return ChannelTag(tag, channel) | relayed(1+key) }

// RelayFlagTag is FlagTag for such messages.
func RelayFlagTag(tag, channel, key int) int { return FlagTag(tag, channel) | relayed(1+key) }

// RelayFreeTag returns the tag of messages by which that rank says that one has left.
func RelayFreeTag(tag, channel, key int) int {
	return ChannelTag(tag, channel) | relayed(1+RelayKeys+key)
}

// RelayedTag returns the tag of such messages on their way to the other node. place is that of their
// sender on its node, below RelayPlaces.
func RelayedTag(tag, channel, place int) int { return ChannelTag(tag, channel) | relayed(1+place) }

// RelayKeys and RelayPlaces are how many keys and places these tags distinguish.
const (
	RelayKeys   = 64
	RelayPlaces = 511
)

// relayed returns the bits of a tag that hold n, which is from 1 to RelayPlaces.
func relayed(n int) int { return 2 * Channels * n << tagBits }
