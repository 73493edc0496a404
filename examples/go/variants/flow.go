package main

import "fabricast/fabric"

// alone is a flow control: a packet enters a buffer only when it is empty.
var alone = &fabric.FlowControl{
	Name: "alone", Help: "when the buffer is empty",
	Needs: func(e *fabric.Entry) int64 { return e.Capacity },
}
