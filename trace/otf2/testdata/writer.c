/* Writes an OTF2 archive by the OTF2 library, as a script on standard input says: the oracle of the reader's tests.
   Usage: writer FOLDER RANKS CHUNK [THREADS] < script. Location L is a thread of rank L modulo RANKS. Lines of the script:
     map L LOCAL GLOBAL      the communicator LOCAL of location L is GLOBAL
     offset L TIME PLUS      a clock offset of location L
     comm ID MEMBERS...      a communicator of ranks
     foreign ID PARADIGM TYPE MEMBERS...  a communicator over a group of another paradigm than MPI, as Score-P writes for threads
     win ID COMM             a window of one-sided operations
     KIND L TIME ARGS...     an event of location L
   Location numbers are 64-bit: L stands for L + 2^40. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE (1ull << 40)
#define CHECK(call) do { if ((call) != OTF2_SUCCESS) { fprintf(stderr, "line %d failed\n", __LINE__); exit(1); } } while (0)
enum { MOST = 64 };

static OTF2_FlushType before(void *u, OTF2_FileType f, OTF2_LocationRef l, void *c, bool end) { return OTF2_FLUSH; }
static OTF2_TimeStamp after(void *u, OTF2_FileType f, OTF2_LocationRef l) { return 0; }
static OTF2_FlushCallbacks flush = {.otf2_pre_flush = before, .otf2_post_flush = after};

static const char *regions[] = {"MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Waitall", "MPI_Sendrecv", "MPI_Allreduce", "compute", "MPI_Put"};
enum { REGIONS = sizeof regions / sizeof *regions, USER = 7 };

int main(int argc, char **argv) {
	int ranks = atoi(argv[2]), locations = ranks * (argc > 4 ? atoi(argv[4]) : 1);
	static OTF2_EvtWriter *writers[MOST];
	static OTF2_DefWriter *locals[MOST];
	static uint64_t members[MOST][MOST];
	static int sizes[MOST], ids[MOST], paradigms[MOST], types[MOST], comms = 0, windows[MOST], of[MOST], wins = 0;
	OTF2_Archive *a = OTF2_Archive_Open(argv[1], "trace", OTF2_FILEMODE_WRITE, strtoull(argv[3], 0, 10), 4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!a) return 1;
	CHECK(OTF2_Archive_SetFlushCallbacks(a, &flush, NULL));
	CHECK(OTF2_Archive_SetSerialCollectiveCallbacks(a));
	CHECK(OTF2_Archive_OpenEvtFiles(a));
	CHECK(OTF2_Archive_OpenDefFiles(a));
	for (int l = 0; l < locations; l++) {
		writers[l] = OTF2_Archive_GetEvtWriter(a, BASE + l);
		locals[l] = OTF2_Archive_GetDefWriter(a, BASE + l);
	}
	char line[4096];
	while (fgets(line, sizeof line, stdin)) {
		char kind[32];
		long long v[MOST + 2];
		int used = 0, n = 0, step;
		sscanf(line, "%31s%n", kind, &used);
		while (n < MOST + 2 && sscanf(line + used, "%lld%n", &v[n], &step) == 1) used += step, n++;
		if (!strcmp(kind, "comm")) {
			ids[comms] = v[0];
			sizes[comms] = n - 1;
			paradigms[comms] = OTF2_PARADIGM_MPI;
			types[comms] = n > 1 ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_COMM_SELF;
			for (int i = 1; i < n; i++) members[comms][i - 1] = v[i];
			comms++;
			continue;
		}
		if (!strcmp(kind, "foreign")) {
			ids[comms] = v[0];
			sizes[comms] = n - 3;
			paradigms[comms] = v[1];
			types[comms] = v[2];
			for (int i = 3; i < n; i++) members[comms][i - 3] = v[i];
			comms++;
			continue;
		}
		if (!strcmp(kind, "win")) {
			windows[wins] = v[0];
			of[wins++] = v[1];
			continue;
		}
		OTF2_EvtWriter *w = writers[v[0]];
		if (!strcmp(kind, "map")) {
			uint64_t from[] = {0, v[1]}, to[] = {0, v[2]};
			OTF2_IdMap *m = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, 1);
			CHECK(OTF2_IdMap_AddIdPair(m, from[1], to[1]));
			CHECK(OTF2_DefWriter_WriteMappingTable(locals[v[0]], OTF2_MAPPING_COMM, m));
			OTF2_IdMap_Free(m);
		} else if (!strcmp(kind, "offset")) CHECK(OTF2_DefWriter_WriteClockOffset(locals[v[0]], v[1], v[2], 0));
		else if (!strcmp(kind, "enter")) {
			OTF2_AttributeList *extra = OTF2_AttributeList_New();
			if (v[2] % 2) CHECK(OTF2_AttributeList_AddUint64(extra, 0, v[1]));
			CHECK(OTF2_EvtWriter_Enter(w, extra, v[1], v[2]));
			OTF2_AttributeList_Delete(extra);
		} else if (!strcmp(kind, "leave")) CHECK(OTF2_EvtWriter_Leave(w, NULL, v[1], v[2]));
		else if (!strcmp(kind, "measure")) CHECK(OTF2_EvtWriter_MeasurementOnOff(w, NULL, v[1], v[2]));
		else if (!strcmp(kind, "send")) CHECK(OTF2_EvtWriter_MpiSend(w, NULL, v[1], v[2], v[3], v[4], v[5]));
		else if (!strcmp(kind, "isend")) CHECK(OTF2_EvtWriter_MpiIsend(w, NULL, v[1], v[2], v[3], v[4], v[5], v[6]));
		else if (!strcmp(kind, "sent")) CHECK(OTF2_EvtWriter_MpiIsendComplete(w, NULL, v[1], v[2]));
		else if (!strcmp(kind, "post")) CHECK(OTF2_EvtWriter_MpiIrecvRequest(w, NULL, v[1], v[2]));
		else if (!strcmp(kind, "irecv")) CHECK(OTF2_EvtWriter_MpiIrecv(w, NULL, v[1], v[2], v[3], v[4], v[5], v[6]));
		else if (!strcmp(kind, "recv")) CHECK(OTF2_EvtWriter_MpiRecv(w, NULL, v[1], v[2], v[3], v[4], v[5]));
		else if (!strcmp(kind, "cancel")) CHECK(OTF2_EvtWriter_MpiRequestCancelled(w, NULL, v[1], v[2]));
		else if (!strcmp(kind, "collective")) {
			CHECK(OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, v[1]));
			CHECK(OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, v[1], v[2], v[3], v[4] < 0 ? OTF2_UNDEFINED_UINT32 : v[4], v[5], v[6]));
		} else if (!strcmp(kind, "put")) CHECK(OTF2_EvtWriter_RmaPut(w, NULL, v[1], 0, v[2], v[3], 1));
		else if (!strcmp(kind, "rput")) CHECK(OTF2_EvtWriter_RmaPut(w, NULL, v[1], v[2], v[3], v[4], v[5]));
		else if (!strcmp(kind, "rget")) CHECK(OTF2_EvtWriter_RmaGet(w, NULL, v[1], v[2], v[3], v[4], v[5]));
		else if (!strcmp(kind, "rdone")) CHECK(OTF2_EvtWriter_RmaOpCompleteNonBlocking(w, NULL, v[1], v[2], v[3]));
		else if (!strcmp(kind, "fence")) {
			CHECK(OTF2_EvtWriter_RmaCollectiveBegin(w, NULL, v[1]));
			CHECK(OTF2_EvtWriter_RmaCollectiveEnd(w, NULL, v[1], OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, v[2], OTF2_UNDEFINED_UINT32, 0, 0));
		} else {
			fprintf(stderr, "unknown event %s\n", kind);
			return 1;
		}
	}
	for (int l = 0; l < locations; l++) {
		CHECK(OTF2_Archive_CloseEvtWriter(a, writers[l]));
		CHECK(OTF2_Archive_CloseDefWriter(a, locals[l]));
	}
	CHECK(OTF2_Archive_CloseEvtFiles(a));
	CHECK(OTF2_Archive_CloseDefFiles(a));
	OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
	CHECK(OTF2_GlobalDefWriter_WriteClockProperties(g, 3000000000u, 0, 1000, 0));
	CHECK(OTF2_GlobalDefWriter_WriteString(g, 0, ""));
	CHECK(OTF2_GlobalDefWriter_WriteAttribute(g, 0, 0, 0, OTF2_TYPE_UINT64));
	for (int r = 0; r < REGIONS; r++) {
		CHECK(OTF2_GlobalDefWriter_WriteString(g, r + 1, regions[r]));
		CHECK(OTF2_GlobalDefWriter_WriteRegion(g, r, r + 1, r + 1, 0, OTF2_REGION_ROLE_FUNCTION, r == USER ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0, 0));
	}
	CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	static uint64_t world[MOST];
	for (int l = 0; l < ranks; l++) {
		CHECK(OTF2_GlobalDefWriter_WriteLocationGroup(g, l, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
		world[l] = BASE + l;
	}
	for (int l = 0; l < locations; l++)
		CHECK(OTF2_GlobalDefWriter_WriteLocation(g, BASE + l, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 1, l % ranks));
	CHECK(OTF2_GlobalDefWriter_WriteGroup(g, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks, world));
	for (int c = 0; c < comms; c++) {
		CHECK(OTF2_GlobalDefWriter_WriteGroup(g, c + 1, 0, types[c], paradigms[c], OTF2_GROUP_FLAG_NONE, sizes[c], members[c]));
		CHECK(OTF2_GlobalDefWriter_WriteComm(g, ids[c], 0, c + 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	}
	for (int i = 0; i < wins; i++) CHECK(OTF2_GlobalDefWriter_WriteRmaWin(g, windows[i], 0, of[i], OTF2_RMA_WIN_FLAG_NONE));
	CHECK(OTF2_Archive_Close(a));
	return 0;
}
