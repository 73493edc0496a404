package chakra

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"fabricast/trace"
)

// protoReader reads nodes stored as protocol buffer messages, each preceded by its length.
type protoReader struct {
	path    string
	in      *bufio.Reader
	at      int64 // offset of the current message in the uncompressed file
	next    int64
	started bool // the first message, the metadata, has been read
	message bytes.Buffer
	taken   int               // size of the previous message, which is not yet discarded from in
	names   map[string]string // names of nodes; equal names share one string
}

// mostNames is the maximum number of entries in protoReader.names. Most traces have only a few
// different names.
const mostNames = 4096

// name returns the node name b as a string. Equal names share one string.
func (r *protoReader) name(b []byte) string {
	if s, known := r.names[string(b)]; known {
		return s
	}
	s := string(b)
	if r.names == nil {
		r.names = map[string]string{}
	}
	if len(r.names) < mostNames {
		r.names[s] = s
	}
	return s
}

// longest is the maximum size of a protocol buffer message in bytes.
const longest = 64 << 20

// fail returns an error at the current message.
func (r *protoReader) fail(what, found, expected string) error {
	return &trace.Error{File: r.path, Offset: r.at, What: what, Found: found, Expected: expected}
}

// read reads the next node. It returns io.EOF after the last one.
func (r *protoReader) read(n *node) error {
	if !r.started {
		r.started = true
		if _, err := r.delimited(); err == io.EOF {
			return r.fail("metadata", "the end of the file", "the metadata of the trace")
		} else if err != nil {
			return err
		}
	}
	b, err := r.delimited()
	if err != nil {
		return err
	}
	n.reset()
	n.at = r.at
	return r.node(n, b)
}

// delimited reads the next message. The bytes are valid until the next call.
func (r *protoReader) delimited() ([]byte, error) {
	r.at = r.next
	_, _ = r.in.Discard(r.taken)
	r.taken = 0
	begin, err := r.in.Peek(1)
	if len(begin) == 0 {
		if err != io.EOF {
			err = r.damaged(err)
		}
		return nil, err
	}
	size, err := binary.ReadUvarint(r.in)
	if err != nil || size > longest {
		if err == nil {
			err = r.fail("length", fmt.Sprint(size), "a message of at most 64 MiB")
		}
		return nil, r.damaged(err)
	}
	if int(size) <= r.in.Size() {
		if b, err := r.in.Peek(int(size)); err == nil {
			r.taken = len(b)
			r.next += int64(protowire.SizeVarint(size)) + int64(len(b))
			return b, nil
		}
	}
	r.message.Reset()
	got, err := io.CopyN(&r.message, r.in, int64(size))
	if err == io.EOF {
		return nil, r.fail(
			"node",
			fmt.Sprintf("the end of the file %d bytes on", got), fmt.Sprintf("%d bytes", size),
		)
	}
	if err != nil {
		return nil, r.damaged(err)
	}
	r.next += int64(protowire.SizeVarint(size)) + got
	return r.message.Bytes(), nil
}

// damaged converts an error of decompression or number parsing to a *trace.Error.
func (r *protoReader) damaged(err error) error {
	if system(err) {
		return err
	}
	return r.fail("node", err.Error(), "a message with its length before it")
}

// field is a field of a protocol buffer message.
type field struct {
	number protowire.Number
	value  uint64 // if the field is a number
	bytes  []byte // otherwise
	kind   protowire.Type
}

// fields calls do for each field of the message b.
func fields(b []byte, do func(f field) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		f := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			f.value = uint64(v)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// node fills in n from the message b.
func (r *protoReader) node(n *node, b []byte) error {
	const (
		id, name, kind, data, start, duration, attribute = 1, 2, 3, 5, 6, 7, 10
	)
	err := fields(b, func(f field) error {
		switch f.number {
		case id:
			n.id = f.value
		case name:
			n.name = r.name(f.bytes)
		case kind:
			n.kind = f.value
		case data:
			if f.kind != protowire.BytesType {
				n.deps = append(n.deps, f.value)
				return nil
			}
			for b := f.bytes; len(b) > 0; {
				v, size := protowire.ConsumeVarint(b)
				if size < 0 {
					return protowire.ParseError(size)
				}
				n.deps, b = append(n.deps, v), b[size:]
			}
		case start:
			n.start = f.value
		case duration:
			n.duration = f.value
		case attribute:
			return n.attribute(f.bytes)
		}
		return nil
	})
	if err != nil {
		return r.fail("node", strconv.Quote(err.Error()), "a protocol buffer")
	}
	return nil
}

// attribute sets an attribute of n from the message b. Any numeric type is accepted for a number.
func (n *node) attribute(b []byte) error {
	const name, double, float, sint32, sint64, sfixed32, text = 1, 3, 5, 15, 17, 23, 29
	var key []byte
	var value field
	err := fields(b, func(f field) error {
		switch {
		case f.number == name:
			key = f.bytes
		case f.number%2 == 1:
			value = f
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch value.number {
	case 0:
	case text:
		if string(key) == groupAttribute {
			n.group = strings.TrimSpace(string(value.bytes))
		}
	case double:
		n.integer(string(key), whole(math.Float64frombits(value.value)))
	case float:
		n.integer(string(key), whole(float64(math.Float32frombits(uint32(value.value)))))
	case sint32, sint64:
		n.integer(string(key), uint64(protowire.DecodeZigZag(value.value)))
	case sfixed32:
		n.integer(string(key), uint64(int32(value.value)))
	default:
		n.integer(string(key), value.value)
	}
	return nil
}

// whole returns v without its fraction. A negative number is returned in two's complement.
func whole(v float64) uint64 {
	const most = 1 << 62
	if math.IsNaN(v) {
		return 0
	}
	return uint64(int64(max(-most, min(v, most))))
}
