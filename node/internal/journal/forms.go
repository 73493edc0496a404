package journal

// Kinds of records that are calls of programs.
const (
	CallNow byte = iota
	CallCompute
	CallSend
	CallSendWith
	CallSendrecv
	CallRecv
	CallRecvTo
	CallRecvCut
	CallWaitAll
	CallWaitAny
	CallTest
	CallTestAny
	CallProbe
	CallIprobe
	CallCompleted
	CallFlag
	CallReceived
	CallFound
	CallProbed
	CallEnvelope
	CallFree
	CallSettle
	CallCancel
	CallCancelSend
	CallWatch
	CallWaitNext
	CallTestNext
	CallWord
	CallRoused
	CallTimer
	CallPut
	CallGet
	CallCollect
	CallAccumulate
	CallExchange
	CallAtomic
	CallLock
	CallUnlock
	CallRegister
	CallUnregister
	CallValue
	calls
)

// callForm is the format of a call in a journal.
type callForm struct {
	name      string
	arguments []string
	results   int
}

var envelope = 3 // number of numbers in an envelope

// callForms holds the formats by kind. Arguments are compared when a program makes the call again.
var callForms = [calls]callForm{
	CallNow:     {"look at the clock", nil, 1},
	CallCompute: {"computation", []string{"ps"}, 0},
	CallSend:    {"send", []string{"bytes", "to rank", "from", "tag", "context", "hash"}, 1},
	CallSendWith: {
		"send",
		[]string{
			"bytes", "to rank", "from", "tag", "context", "hash", "NIC", "gap", "protocol", "copies", "name",
		},
		1,
	},
	CallSendrecv: {
		"send and receive", []string{
			"bytes", "to rank", "from", "tag", "hash", "bytes received", "source", "tag received", "context",
		}, 2,
	},
	CallRecv:       {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	CallRecvTo:     {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	CallRecvCut:    {"receive", []string{"bytes", "source", "tag", "context"}, 2},
	CallWaitAll:    {"wait for all", []string{"requests", "hash"}, 1},
	CallWaitAny:    {"wait for one", []string{"requests", "hash"}, 0},
	CallTest:       {"test", []string{"request"}, 1},
	CallTestAny:    {"test of several", []string{"requests", "hash"}, 1},
	CallProbe:      {"probe", []string{"source", "tag", "context"}, 0},
	CallIprobe:     {"look for a message", []string{"source", "tag", "context"}, 0},
	CallCompleted:  {"question which request is complete", nil, 1},
	CallFlag:       {"question for the answer of a test", nil, 1},
	CallReceived:   {"question for the message received", nil, envelope},
	CallFound:      {"question for the value found", nil, 1},
	CallProbed:     {"question for the message probed", nil, envelope},
	CallEnvelope:   {"question for the message of a request", []string{"request"}, envelope},
	CallFree:       {"end of a request", []string{"request"}, 0},
	CallSettle:     {"end of a complete request", []string{"request"}, 1},
	CallCancel:     {"cancel of a receive", []string{"request"}, 2},
	CallCancelSend: {"cancel of a send", []string{"request", "to rank", "from", "tag", "context", "name"}, 2},
	CallWatch:      {"watch of a request", []string{"request", "word"}, 0},
	CallWaitNext:   {"wait for the next", nil, 1},
	CallTestNext:   {"test for the next", nil, 1},
	CallWord:       {"question for the word of a request", nil, 1},
	CallRoused:     {"question why a test has ended", nil, 1},
	CallTimer:      {"timer", []string{"ps"}, 1},
	CallPut: {
		"put", []string{"bytes", "to rank", "region", "place", "NIC", "gap", "from", "tag", "context", "hash"}, 1,
	},
	CallGet:        {"get", []string{"bytes", "from rank", "region", "place", "NIC", "gap"}, 2},
	CallCollect:    {"get with gaps", []string{"bytes", "from rank", "region", "place", "NIC", "gap"}, 3},
	CallAccumulate: {"accumulate", []string{"bytes", "to rank", "region", "place", "NIC", "gap", "hash"}, 2},
	CallExchange: {
		"exchange", []string{"bytes", "with rank", "region", "place", "NIC", "gap", "hash", "bytes back"}, 3,
	},
	CallAtomic: {
		"atomic operation",
		[]string{"bytes", "at rank", "region", "place", "NIC", "gap", "operation", "operand", "compared"},
		1,
	},
	CallLock:       {"lock", []string{"bytes", "of rank", "region", "place", "NIC", "gap", "alone"}, 1},
	CallUnlock:     {"unlock", []string{"bytes", "of rank", "region", "place", "NIC", "gap"}, 0},
	CallRegister:   {"opening of memory", []string{"bytes"}, 1},
	CallUnregister: {"closing of memory", []string{"region"}, 0},
	CallValue:      {"question for the value of a request", []string{"request"}, 1},
}

func Truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
