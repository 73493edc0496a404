package main

import "fabricast/fabric"

// alone is a flow control: a packet may enter a buffer only if the buffer is empty.
var alone = &fabric.FlowControl{
	Name: "alone", Help: "when the buffer is empty",
	Needs: func(e *fabric.Entry) int64 { return e.Capacity },
}
