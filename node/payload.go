package node

import "sync"

// payloadShards spreads the store of payloads over locks; a power of two.
const payloadShards = 64

// payloads keeps the contents of messages in flight, which one block puts in
// and another takes out. Messages without contents never touch it.
type payloads struct {
	shards [payloadShards]struct {
		sync.Mutex
		data [][]byte
		free []uint32
	}
}

// put stores a copy of the contents and returns its handle, which is not 0.
func (p *payloads) put(rank int32, data []byte) uint32 {
	own := append(make([]byte, 0, len(data)), data...)
	shard := uint32(rank) % payloadShards
	s := &p.shards[shard]
	s.Lock()
	defer s.Unlock()
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		s.data[i] = own
		return i*payloadShards + shard + 1
	}
	s.data = append(s.data, own)
	return uint32(len(s.data)-1)*payloadShards + shard + 1
}

// take removes contents from the store.
func (p *payloads) take(handle uint32) []byte {
	s := &p.shards[(handle-1)%payloadShards]
	i := (handle - 1) / payloadShards
	s.Lock()
	defer s.Unlock()
	data := s.data[i]
	s.data[i] = nil
	s.free = append(s.free, i)
	return data
}

// buffer is where the contents of a message go.
type buffer struct {
	_    uint32 // the pool's
	data []byte
	told *Status // of the message; nil if the program asks for it
}
