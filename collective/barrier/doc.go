// Package barrier contains the barrier algorithms, in which no rank continues before all ranks have
// arrived.
package barrier
