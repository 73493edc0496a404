// Package barrier holds the algorithms by which no rank goes on before all have come.
package barrier
