package record

import "fabricast/internal/causes"

// CausesTable holds the latency of each message in the network, divided by cause.
const CausesTable = "causes.parquet"

// Division is a row of causes.parquet: a message delivered by the network. The columns after Delivery
// sum to Delivery minus Post. Most of them are measured along the message's last packet.
type Division struct {
	Message         int64 `parquet:"message" holds:"any"`
	SourceHost      int32 `parquet:"source_host" holds:"nic"`
	DestinationHost int32 `parquet:"destination_host" holds:"nic"`
	Bytes           int64 `parquet:"payload_bytes"`
	Send            int64 `parquet:"send_ps"`     // time of the send call
	Post            int64 `parquet:"post_ps"`     // time from which on the NIC could send it
	Delivery        int64 `parquet:"delivery_ps"` // time at which the whole message is in memory
	NICQueue        int64 `parquet:"nic_queue_ps"`
	SendDMA         int64 `parquet:"send_dma_ps"`
	Serialization   int64 `parquet:"serialization_ps"`
	Pacing          int64 `parquet:"pacing_ps"`
	InjectionCredit int64 `parquet:"injection_credit_ps"`
	Wire            int64 `parquet:"wire_ps"`
	Pipeline        int64 `parquet:"pipeline_ps"`
	Order           int64 `parquet:"order_ps"`
	Output          int64 `parquet:"output_ps"`
	Crossbar        int64 `parquet:"crossbar_ps"`
	Credit          int64 `parquet:"credit_ps"`
	Ejection        int64 `parquet:"ejection_ps"`
	ReceiveNIC      int64 `parquet:"receive_nic_ps"`
	ReceiveDMA      int64 `parquet:"receive_dma_ps"`
	Overtaken       int64 `parquet:"overtaken_ps"`
	Window          int64 `parquet:"window_ps"`
	Pause           int64 `parquet:"pause_ps"`
	Repetition      int64 `parquet:"repetition_ps"`
}

// SetParts sets the columns of the parts.
func (d *Division) SetParts(p *causes.Parts) {
	d.NICQueue, d.SendDMA, d.Serialization = p[causes.NICQueue], p[causes.SendDMA], p[causes.Serialization]
	d.Pacing, d.InjectionCredit = p[causes.Pacing], p[causes.InjectionCredit]
	d.Wire, d.Pipeline, d.Order = p[causes.Wire], p[causes.Pipeline], p[causes.Order]
	d.Output, d.Crossbar, d.Credit = p[causes.Output], p[causes.Crossbar], p[causes.Credit]
	d.Ejection, d.ReceiveNIC = p[causes.Ejection], p[causes.ReceiveNIC]
	d.ReceiveDMA, d.Overtaken = p[causes.ReceiveDMA], p[causes.Overtaken]
	d.Window, d.Pause, d.Repetition = p[causes.Window], p[causes.Pause], p[causes.Repetition]
}

// Parts returns the parts in the row's columns.
func (d *Division) Parts() (p causes.Parts) {
	p[causes.NICQueue], p[causes.SendDMA], p[causes.Serialization] = d.NICQueue, d.SendDMA, d.Serialization
	p[causes.Pacing], p[causes.InjectionCredit] = d.Pacing, d.InjectionCredit
	p[causes.Wire], p[causes.Pipeline], p[causes.Order] = d.Wire, d.Pipeline, d.Order
	p[causes.Output], p[causes.Crossbar], p[causes.Credit] = d.Output, d.Crossbar, d.Credit
	p[causes.Ejection], p[causes.ReceiveNIC] = d.Ejection, d.ReceiveNIC
	p[causes.ReceiveDMA], p[causes.Overtaken] = d.ReceiveDMA, d.Overtaken
	p[causes.Window], p[causes.Pause], p[causes.Repetition] = d.Window, d.Pause, d.Repetition
	return p
}
