package record

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"fabricast/internal/input"
)

// Files of a result folder about bins: intervals of simulated time of equal length, for each of
// which the activity of links and buffers is recorded.
const (
	LinkBinsTable   = "link_bins.parquet"
	BufferBinsTable = "buffer_bins.parquet"
	BinsFile        = "bins.json"
	BinsSchema      = "fabricast.bins/1"

	partsFolder = "link_bins" // folder of the tables of complete bins during the run
)

// LinkBin is a row of link_bins.parquet: the activity of a link in a bin. The table has many rows.
// Therefore columns whose values differ little between consecutive rows are delta-encoded.
type LinkBin struct {
	Link         int32 `parquet:"link,delta" holds:"link"` // row in links.parquet
	Bin          int32 `parquet:"bin,delta" holds:"bin"`   // index from 0
	Begin        int64 `parquet:"begin_ps,delta"`          // start of the bin
	Bytes        int64 `parquet:"wire_bytes,delta"`
	Packets      int64 `parquet:"packets,delta"`
	NoCredit     int64 `parquet:"no_credit_ps"`
	BusyOutput   int64 `parquet:"busy_output_ps"`
	BusyCrossbar int64 `parquet:"busy_crossbar_ps"`
}

// BufferBin is a row of buffer_bins.parquet: the occupancy of an input buffer in a bin.
type BufferBin struct {
	Router int32   `parquet:"router" holds:"router"`
	Port   int32   `parquet:"port" holds:"link"` // index of the port in the router, from 0
	VC     int32   `parquet:"vc"`
	Bin    int32   `parquet:"bin" holds:"bin"`
	Begin  int64   `parquet:"begin_ps"`
	Mean   float64 `parquet:"mean_occupancy_bytes"`
	Peak   int64   `parquet:"peak_occupancy_bytes"`
}

// Bins is the content of bins.json: the length and number of bins.
type Bins struct {
	Schema   string `json:"schema"`
	Interval int64  `json:"interval_ps"`
	Chosen   bool   `json:"interval_chosen"` // the user has specified the interval
	Count    int    `json:"count"`           // number of bins, including bins without activity
	End      int64  `json:"end_ps"`          // end of the recorded time
	Buffers  bool   `json:"buffers"`
	// Parts lists the tables of complete bins, which exist only during the run.
	Parts []string `json:"parts,omitempty"`
}

// binCell holds the values of a link or buffer in a bin. Links use all values, buffers only the
// first two.
type binCell struct {
	key    uint32
	values [binValues]uint64
}

const binValues = 5

// binStore stores bins in a compact encoding: up to binMemory bytes in memory, the rest in the
// spill file.
type binStore struct {
	interval int64 // length of a bin, in ps
	peak     int   // index of the value of which a merged bin has the maximum instead of the sum; noPeak: none
	bins     []storedBin
	memory   int64 // size of the encoded bins in memory, in bytes
	spill    *growing
	begin    func() (*growing, error) // creates the spill file
	buffer   []byte
	halves   [2][]binCell // memory for reuse by coarsen
	merged   []binCell
}

type storedBin struct {
	data   []byte
	offset int64 // offset in the spill file if data is nil
	size   int32
}

// binMemory is the maximum size, in bytes, of the encoded bins that a binStore holds in memory.
const binMemory = 192 << 20

// noPeak is the value of binStore.peak if all values of merged bins are summed.
const noPeak = -1

// put stores the cells of the bin with index number. They must be sorted by key. It returns an
// error if number is 2^31 or more, or if the spill file cannot be written.
func (s *binStore) put(number int64, cells []binCell) error {
	if number >= 1<<31 {
		return errors.New("more bins than can be numbered")
	}
	for int64(len(s.bins)) <= number {
		s.bins = append(s.bins, storedBin{})
	}
	b := s.buffer[:0]
	last := uint32(0)
	for i := range cells {
		b = binary.AppendUvarint(b, uint64(cells[i].key-last))
		last = cells[i].key
		for _, v := range cells[i].values {
			b = binary.AppendUvarint(b, v)
		}
	}
	s.buffer = b
	return s.keep(&s.bins[number], b)
}

func (s *binStore) keep(to *storedBin, b []byte) error {
	to.size = int32(len(b))
	if s.memory+int64(len(b)) <= binMemory {
		to.data = slices.Clone(b)
		s.memory += int64(len(b))
		return nil
	}
	return s.spillBin(to, b)
}

// spillBin writes the encoded bin b to the spill file.
func (s *binStore) spillBin(to *storedBin, b []byte) (err error) {
	if s.spill == nil {
		if s.spill, err = s.begin(); err != nil {
			return err
		}
	}
	offset := s.spill.size
	if _, err = s.spill.Write(b); err != nil {
		return err
	}
	to.data, to.offset = nil, offset
	return nil
}

// bytes returns the encoded cells of a stored bin, from memory or from the spill file.
func (s *binStore) bytes(b *storedBin) ([]byte, error) {
	if b.data != nil || b.size == 0 {
		return b.data, nil
	}
	data := make([]byte, b.size)
	_, err := s.spill.file.ReadAt(data, b.offset)
	return data, err
}

// decodeBin decodes a stored bin and appends its cells to cells. It does not check the data, and is
// therefore several times faster than decoding with binary.Uvarint.
func decodeBin(cells []binCell, data []byte) []binCell {
	var c binCell
	for i := 0; i < len(data); {
		var v uint64
		v, i = uvarint(data, i)
		c.key += uint32(v)
		for k := range c.values {
			c.values[k], i = uvarint(data, i)
		}
		cells = append(cells, c)
	}
	return cells
}

// uvarint decodes the varint at data[i]. It returns the value and the index after the varint.
func uvarint(data []byte, i int) (v uint64, next int) {
	b := data[i]
	if b < 0x80 {
		return uint64(b), i + 1
	}
	return longUvarint(data, i)
}

func longUvarint(data []byte, i int) (v uint64, next int) {
	for shift := 0; ; shift += 7 {
		b := data[i]
		i++
		if v |= uint64(b&0x7f) << shift; b < 0x80 {
			return v, i
		}
	}
}

// coarsen merges pairs of adjacent bins until each bin is interval ps long.
func (s *binStore) coarsen(interval int64) error {
	for s.interval < interval {
		s.interval *= 2
		old := s.bins
		s.bins, s.memory = nil, 0
		for i := 0; i < len(old); i += 2 {
			var parts [2][]binCell
			for k := range old[i:min(i+2, len(old))] {
				data, err := s.bytes(&old[i+k])
				if err != nil {
					return err
				}
				s.halves[k] = decodeBin(s.halves[k][:0], data)
				parts[k] = s.halves[k]
			}
			s.merged = s.merge(s.merged[:0], parts[0], parts[1])
			if err := s.put(int64(i/2), s.merged); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge merges the cells of two bins, each sorted by key, and appends them to cells. Cells with
// equal keys are combined.
func (s *binStore) merge(cells, a, b []binCell) []binCell {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].key < b[0].key:
			cells = append(cells, a[0])
			a = a[1:]
		case a[0].key > b[0].key:
			cells = append(cells, b[0])
			b = b[1:]
		default:
			cells = append(cells, a[0])
			s.add(&cells[len(cells)-1], &b[0])
			a, b = a[1:], b[1:]
		}
	}
	return append(append(cells, a...), b...)
}

func (s *binStore) add(to, c *binCell) {
	for i, v := range c.values {
		if i == s.peak {
			to.values[i] = max(to.values[i], v)
		} else {
			to.values[i] += v
		}
	}
}

// sorted returns the cells of a bin, sorted by key. It is a merge sort that starts from the sorted
// runs in cells: the cells that each partition block has added.
func (s *binStore) sorted(cells []binCell) []binCell {
	for {
		first := sortedRun(cells)
		if first == len(cells) {
			return cells
		}
		out, left := s.merged[:0], cells
		for len(left) > 0 {
			n := sortedRun(left)
			m := n + sortedRun(left[n:])
			out = s.merge(out, left[:n], left[n:m])
			left = left[m:]
		}
		s.merged, cells = cells, out
	}
}

// sortedRun returns the length of the longest prefix of cells that is sorted by key.
func sortedRun(cells []binCell) int {
	for i := 1; i < len(cells); i++ {
		if cells[i].key < cells[i-1].key {
			return i
		}
	}
	return len(cells)
}

func (s *binStore) close() {
	if s.spill != nil {
		s.spill.close()
	}
}

// BinWriter collects the bins of all partition blocks, the parts of the network that are simulated
// in parallel. It combines them and writes the tables of bins. Several partition blocks may call
// Add concurrently, also during Part.
type BinWriter struct {
	mutex    sync.Mutex
	folder   *Folder
	about    Bins
	links    binStore
	buffers  binStore
	place    func(port int32) (router, local int32)
	vcs      int32
	next     []int64           // by partition block: start of its next bin
	waiting  map[int64]*joined // by start: bins that not all partition blocks have added yet
	spare    []*joined
	complete int64 // ps: all partition blocks have added their bins before this time
	parts    int
	written  int // number of link bins written in parts
	err      error
}

// joined holds the cells of a bin that partition blocks have added so far.
type joined struct {
	interval       int64
	links, buffers []binCell
}

// NewBins returns a BinWriter for the given number of partition blocks. interval (ps) is the
// initial length of bins. place converts a global port index to a router and the index of the port
// in the router.
func (f *Folder) NewBins(
	blocks, vcs int,
	interval int64,
	chosen, buffers bool,
	place func(port int32) (router, local int32),
) *BinWriter {
	spill := func(name string) func() (*growing, error) {
		return func() (*growing, error) { return f.newGrowing(f.shelter, name) }
	}
	w := &BinWriter{
		folder: f, about: Bins{Schema: BinsSchema, Interval: interval, Chosen: chosen, Buffers: buffers},
		links:   binStore{interval: interval, peak: noPeak, begin: spill(linksSpill)},
		buffers: binStore{interval: interval, peak: 1, begin: spill(buffersSpill)},
		place:   place, vcs: int32(vcs), next: make([]int64, blocks), waiting: map[int64]*joined{},
	}
	return w
}

// join returns the bin that starts at the given time. It creates the bin if no partition block has
// added to it yet.
func (w *BinWriter) join(begin, interval int64) *joined {
	j := w.waiting[begin]
	if j == nil {
		j = &joined{}
		if n := len(w.spare); n > 0 {
			j, w.spare = w.spare[n-1], w.spare[:n-1]
		}
		j.interval = interval
		w.waiting[begin] = j
	}
	return j
}

// Add adds the counts of a partition block in the bin that starts at begin (ps). links yields rows
// for link_bins.parquet; their Bin and Begin are ignored. buffers yields, for each non-empty
// buffer, its occupancy integrated over time (held, in byte·ps) and its maximum occupancy (peak, in
// bytes). next (ps) is the start of the next bin of the block.
func (w *BinWriter) Add(
	block int,
	begin, interval, next int64,
	links func(yield func(LinkBin)),
	buffers func(yield func(port, vc int32, held, peak int64)),
) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	j := w.join(begin, interval)
	links(func(r LinkBin) {
		j.links = append(j.links, binCell{uint32(r.Link), [binValues]uint64{
			uint64(
				r.Bytes,
			), uint64(r.Packets), uint64(r.NoCredit), uint64(r.BusyOutput), uint64(r.BusyCrossbar),
		}})
	})
	buffers(func(port, vc int32, held, peak int64) {
		j.buffers = append(
			j.buffers,
			binCell{uint32(port*w.vcs + vc), [binValues]uint64{uint64(held), uint64(peak)}},
		)
	})
	w.next[block] = next
	if complete := slices.Min(w.next); complete > w.complete {
		w.complete = complete
		w.err = errors.Join(w.err, w.store())
	}
}

// store moves the complete bins, which all partition blocks have added, to the binStores.
func (w *BinWriter) store() error {
	var begins []int64
	for begin, j := range w.waiting {
		if begin+j.interval <= w.complete {
			begins = append(begins, begin)
		}
	}
	slices.Sort(begins)
	for _, begin := range begins {
		j := w.waiting[begin]
		delete(w.waiting, begin)
		err := errors.Join(w.links.coarsen(j.interval), w.buffers.coarsen(j.interval))
		number := begin / j.interval
		if len(j.links) > 0 {
			j.links = w.links.sorted(j.links)
			err = errors.Join(err, w.links.put(number, j.links))
		}
		if len(j.buffers) > 0 {
			j.buffers = w.buffers.sorted(j.buffers)
			err = errors.Join(err, w.buffers.put(number, j.buffers))
		}
		if err != nil {
			return err
		}
		j.links, j.buffers = j.links[:0], j.buffers[:0]
		w.spare = append(w.spare, j)
	}
	return nil
}

// linkRows yields the rows of bins, a slice of the bins of s that starts at index first. It sets
// *failed if a bin cannot be read.
func linkRows(bins []storedBin, first int, interval int64, s *binStore, failed *error) iter.Seq[LinkBin] {
	return func(yield func(LinkBin) bool) {
		var cells []binCell
		for i := range bins {
			data, err := s.bytes(&bins[i])
			if err != nil {
				*failed = err
				return
			}
			cells = decodeBin(cells[:0], data)
			for k := range cells {
				c := &cells[k]
				bin := first + i
				row := LinkBin{
					Link: int32(c.key), Bin: int32(bin), Begin: int64(bin) * interval,
					Bytes: int64(c.values[0]), Packets: int64(c.values[1]),
					NoCredit:   int64(c.values[2]),
					BusyOutput: int64(c.values[3]), BusyCrossbar: int64(c.values[4]),
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

func (w *BinWriter) bufferRows(failed *error) iter.Seq[BufferBin] {
	return func(yield func(BufferBin) bool) {
		s := &w.buffers
		var cells []binCell
		for i := range s.bins {
			data, err := s.bytes(&s.bins[i])
			if err != nil {
				*failed = err
				return
			}
			cells = decodeBin(cells[:0], data)
			for k := range cells {
				c := &cells[k]
				router, port := w.place(int32(c.key) / w.vcs)
				row := BufferBin{
					Router: router, Port: port, VC: int32(c.key) % w.vcs, Bin: int32(i),
					Begin: int64(i) * s.interval,
					Mean:  float64(c.values[0]) / float64(s.interval), Peak: int64(c.values[1]),
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

// Part writes a table of the bins completed since the last call, for a report during the run. Add
// may be called concurrently. Part returns the number of bins in all parts.
func (w *BinWriter) Part() (bins int, err error) {
	w.mutex.Lock()
	if err = w.err; err != nil || len(w.links.bins) == 0 {
		w.mutex.Unlock()
		return 0, err
	}
	interval := w.links.interval
	fresh := interval != w.about.Interval || w.parts == 0
	if fresh {
		w.written = 0
	}
	first := w.written
	rows := slices.Clone(w.links.bins[first:])
	complete := w.complete
	w.mutex.Unlock()
	if len(rows) == 0 {
		return w.written, nil
	}
	old := w.about.Parts
	if fresh {
		w.about.Parts = nil
	}
	name := filepath.Join(partsFolder, fmt.Sprintf("%04d.parquet", w.parts))
	w.parts++
	var failed error
	err = errors.Join(os.MkdirAll(filepath.Join(w.folder.temp, partsFolder), 0o777),
		WriteTable(w.folder, name, linkRows(rows, first, interval, &w.links, &failed), nil), failed)
	w.about.Interval, w.about.Parts = interval, append(slices.Clone(w.about.Parts), name)
	w.written = first + len(rows)
	w.about.Count, w.about.End = w.written, complete
	err = errors.Join(err, w.writeAbout())
	if fresh {
		for _, name := range old {
			_ = os.Remove(filepath.Join(w.folder.temp, name))
		}
	}
	return w.written, err
}

func (w *BinWriter) writeAbout() error {
	text, err := json.MarshalIndent(&w.about, "", "  ")
	if err != nil {
		return err
	}
	return w.folder.replace(BinsFile, append(text, '\n'))
}

// Finish writes the tables of all bins at the end of the run, at time end (ps). All partition
// blocks must have added all their bins.
func (w *BinWriter) Finish(end int64, metadata map[string]string) error {
	if w.err != nil {
		return w.err
	}
	if err := w.buffers.coarsen(w.links.interval); err != nil {
		return err
	}
	count := max(len(w.links.bins), len(w.buffers.bins))
	w.about = Bins{
		Schema:   BinsSchema,
		Interval: w.links.interval,
		Chosen:   w.about.Chosen,
		Count:    count,
		End:      end,
		Buffers:  w.about.Buffers,
	}
	var failed error
	err := WriteTable(
		w.folder, LinkBinsTable, linkRows(w.links.bins, 0, w.links.interval, &w.links, &failed),
		metadata,
	)
	if w.about.Buffers {
		err = errors.Join(err, WriteTable(w.folder, BufferBinsTable, w.bufferRows(&failed), metadata))
	}
	w.Close()
	return errors.Join(err, failed, w.writeAbout(), os.RemoveAll(filepath.Join(w.folder.temp, partsFolder)))
}

// Close closes the spill files. If Finish has not been called, the bins are lost.
func (w *BinWriter) Close() {
	w.links.close()
	w.buffers.close()
}

// Bins returns the current content of bins.json; nil if the file does not exist or is invalid.
func (r *Reader) Bins() *Bins {
	text, err := input.Bytes(r.Path(BinsFile), input.Layout)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.problem("%s cannot be read: %v", BinsFile, err)
		}
		return nil
	}
	b, ok := parseJSON[Bins](r, BinsFile, BinsSchema, text)
	if !ok {
		return nil
	}
	if err := b.check(); err != nil {
		r.problem("%s cannot be used: %v", BinsFile, err)
		return nil
	}
	return b
}

// LinkBins yields the rows of link_bins.parquet, ordered by bin. During the run, it yields the rows
// of the parts that bins.json lists.
func (r *Reader) LinkBins() iter.Seq2[LinkBin, error] {
	if r.Has(LinkBinsTable) {
		return Rows[LinkBin](r, LinkBinsTable)
	}
	return func(yield func(LinkBin, error) bool) {
		b := r.Bins()
		if b == nil {
			yield(LinkBin{}, &TableError{LinkBinsTable, os.ErrNotExist})
			return
		}
		for _, part := range b.Parts {
			for row, err := range Rows[LinkBin](r, part) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}
