package abstract

import (
	"unsafe"

	"fabricast/fabric"
	"fabricast/internal/prefetch"
)

// manyHosts is the number of hosts from which on what events need is prefetched. The state of fewer
// hosts is in the cache anyway.
const manyHosts = 8192

// Of each event at the current instant, the records are prefetched that many events before.
const (
	early = 12 // the host's record, or the message
	soon  = 6  // what that refers to
)

// prefetch prefetches what some of the next events of the current instant need.
func (b *Block) prefetch() {
	if e := b.queue.Ahead(early); e != nil {
		if e.Order&timer == 0 {
			prefetch.Line(unsafe.Pointer(b.Message(fabric.MsgID(e.ID))))
		} else {
			prefetch.Line(unsafe.Pointer(&b.timers[int32(e.ID)-b.first]))
			b.prefetcher.PrefetchHost(int32(e.ID))
		}
	}
	if e := b.queue.Ahead(soon); e != nil {
		if e.Order&timer == 0 {
			m := b.Message(fabric.MsgID(e.ID))
			prefetch.Line(unsafe.Pointer(&b.nics[m.Dst-b.firstNIC]))
			b.prefetcher.PrefetchHost(m.Dst / int32(b.net.spec.NICsPerHost))
		} else {
			b.prefetcher.PrefetchWork(int32(e.ID))
		}
	}
}

// prefetcherOf returns the endpoint as a prefetcher, if prefetching pays.
func (b *Block) prefetcherOf(e fabric.Endpoint) fabric.Prefetcher {
	if len(b.timers) < manyHosts {
		return nil
	}
	p, _ := e.(fabric.Prefetcher)
	return p
}
