package abstract

import (
	"unsafe"

	"fabricast/fabric"
	"fabricast/internal/eventqueue"
)

// Forecast estimates the memory (bytes) of a network in which each host has a timer and each of its
// NICs has one message in flight.
func Forecast(hosts, nicsPerHost int) int64 {
	const doubled = 2 // slices grow by doubling
	host := int64(unsafe.Sizeof(int64(0))) + doubled*int64(unsafe.Sizeof(eventqueue.Event{}))
	nic := int64(unsafe.Sizeof(nic{})) + doubled*int64(unsafe.Sizeof(eventqueue.Event{})) +
		int64(unsafe.Sizeof(fabric.Message{}))
	return int64(hosts) * (host + int64(nicsPerHost)*nic)
}
