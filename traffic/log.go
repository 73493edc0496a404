package traffic

import "fabricast/fabric"

// Carried describes a delivered message.
type Carried struct {
	Number    int64 // identifies the message, see fabric.MessageNumber
	Src, Dst  int32 // NIC IDs
	SrcHost   int32
	DstHost   int32
	Reply     bool // the message is a reply in a closed loop
	Class     uint8
	Size      int64 // payload in bytes
	Sent      int64 // time of generation (ps)
	Delivered int64 // time of delivery (ps)
}

// Log sets a function that is called for every delivered message. It must be called before Run.
// report is called concurrently by different partition blocks, each with its own block index.
func (s *Simulation) Log(report func(block int, m Carried)) {
	for i, e := range s.endpoints {
		e.log = func(m Carried) { report(i, m) }
	}
}

// reported passes a delivered message to the function set by Log, if any.
func (e *endpoint) reported(m *fabric.Message, at int64) {
	if e.log == nil {
		return
	}
	src, dst := m.Src/e.nics, m.Dst/e.nics
	e.log(Carried{
		Number: fabric.MessageNumber(src, dst, m.Tag, m.Size, m.Sent),
		Src:    m.Src, Dst: m.Dst, SrcHost: src, DstHost: dst,
		Reply: m.Request == reply, Class: m.Class, Size: m.Size, Sent: m.Sent, Delivered: at,
	})
}
