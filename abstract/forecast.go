package abstract

import (
	"unsafe"

	"fabricast/fabric"
)

// Forecast returns an estimate of the memory (bytes) that a network takes in which each host has a
// timer and one message under way on each of its NICs.
func Forecast(hosts, nicsPerHost int) int64 {
	const doubled = 2 // lists grow by doubling
	host := int64(unsafe.Sizeof(int64(0))) + doubled*int64(unsafe.Sizeof(event{}))
	nic := int64(unsafe.Sizeof(nic{})) + doubled*int64(unsafe.Sizeof(event{})) +
		int64(unsafe.Sizeof(fabric.Message{}))
	return int64(hosts) * (host + int64(nicsPerHost)*nic)
}
