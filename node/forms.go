package node

// Kinds of records that are calls of programs.
const (
	callNow byte = iota
	callCompute
	callSend
	callSendWith
	callSendrecv
	callRecv
	callRecvTo
	callRecvCut
	callWaitAll
	callWaitAny
	callTest
	callTestAny
	callProbe
	callIprobe
	callCompleted
	callFlag
	callReceived
	callFound
	callProbed
	callEnvelope
	callFree
	callSettle
	callCancel
	callCancelSend
	callWatch
	callWaitNext
	callTestNext
	callWord
	callRoused
	callTimer
	callPut
	callGet
	callCollect
	callAccumulate
	callExchange
	callAtomic
	callLock
	callUnlock
	callRegister
	callUnregister
	callValue
	calls
)

// callForm is the form of a call in a journal.
type callForm struct {
	name      string
	arguments []string
	results   int
}

var envelope = 3 // numbers of one

// callForms holds the forms by kind. Arguments are compared when a program makes the call again.
var callForms = [calls]callForm{
	callNow:     {"look at the clock", nil, 1},
	callCompute: {"computation", []string{"ps"}, 0},
	callSend:    {"send", []string{"bytes", "to rank", "from", "tag", "context", "hash"}, 1},
	callSendWith: {
		"send",
		[]string{
			"bytes", "to rank", "from", "tag", "context", "hash", "NIC", "gap", "protocol", "copies", "name",
		},
		1,
	},
	callSendrecv: {
		"send and receive", []string{
			"bytes", "to rank", "from", "tag", "hash", "bytes received", "source", "tag received", "context",
		}, 2,
	},
	callRecv:       {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	callRecvTo:     {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	callRecvCut:    {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	callWaitAll:    {"wait for all", []string{"requests", "hash"}, 1},
	callWaitAny:    {"wait for one", []string{"requests", "hash"}, 0},
	callTest:       {"test", []string{"request"}, 1},
	callTestAny:    {"test of several", []string{"requests", "hash"}, 1},
	callProbe:      {"probe", []string{"source", "tag", "context"}, 0},
	callIprobe:     {"look for a message", []string{"source", "tag", "context"}, 0},
	callCompleted:  {"question which request is complete", nil, 1},
	callFlag:       {"question for the answer of a test", nil, 1},
	callReceived:   {"question for the message received", nil, envelope},
	callFound:      {"question for the value found", nil, 1},
	callProbed:     {"question for the message probed", nil, envelope},
	callEnvelope:   {"question for the message of a request", []string{"request"}, envelope},
	callFree:       {"end of a request", []string{"request"}, 0},
	callSettle:     {"end of a complete request", []string{"request"}, 1},
	callCancel:     {"cancel of a receive", []string{"request"}, 2},
	callCancelSend: {"cancel of a send", []string{"request", "to rank", "from", "tag", "context", "name"}, 2},
	callWatch:      {"watch of a request", []string{"request", "word"}, 0},
	callWaitNext:   {"wait for the next", nil, 1},
	callTestNext:   {"test for the next", nil, 1},
	callWord:       {"question for the word of a request", nil, 1},
	callRoused:     {"question why a test has ended", nil, 1},
	callTimer:      {"timer", []string{"ps"}, 1},
	callPut: {
		"put", []string{"bytes", "to rank", "region", "place", "NIC", "gap", "from", "tag", "context", "hash"}, 1,
	},
	callGet:        {"get", []string{"bytes", "from rank", "region", "place", "NIC", "gap"}, 2},
	callCollect:    {"get with gaps", []string{"bytes", "from rank", "region", "place", "NIC", "gap"}, 3},
	callAccumulate: {"accumulate", []string{"bytes", "to rank", "region", "place", "NIC", "gap", "hash"}, 2},
	callExchange: {
		"exchange", []string{"bytes", "with rank", "region", "place", "NIC", "gap", "hash", "bytes back"}, 3,
	},
	callAtomic: {
		"atomic operation",
		[]string{"bytes", "at rank", "region", "place", "NIC", "gap", "operation", "operand", "compared"},
		1,
	},
	callLock:       {"lock", []string{"bytes", "of rank", "region", "place", "NIC", "gap", "alone"}, 1},
	callUnlock:     {"unlock", []string{"bytes", "of rank", "region", "place", "NIC", "gap"}, 0},
	callRegister:   {"opening of memory", []string{"bytes"}, 1},
	callUnregister: {"closing of memory", []string{"region"}, 0},
	callValue:      {"question for the value of a request", []string{"request"}, 1},
}

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
