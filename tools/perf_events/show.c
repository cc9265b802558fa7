// SPDX-License-Identifier: GPL-2.0
/*
 * Print refusals, one line each: text for users, or JSON for programs.
 */
#define _GNU_SOURCE
#include <string.h>

#include "perf-why.h"

static const char *call_name(__u32 call)
{
	static const char *const names[] = {
		[PERF_REFUSED_CALL_OPEN]	= "perf_event_open",
		[PERF_REFUSED_CALL_IOCTL]	= "ioctl",
		[PERF_REFUSED_CALL_MMAP]	= "mmap",
		[PERF_REFUSED_CALL_PRCTL]	= "prctl",
		[PERF_REFUSED_CALL_SPLICE]	= "splice",
	};

	return call && call <= PERF_REFUSED_CALL_SPLICE ? names[call] : "?";
}

static const char *error_name(int error)
{
	return strerrorname_np(error) ?: "?";
}

const char *comm_of(pid_t pid)
{
	static char comm[32];
	char path[64], *c;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "r");
	if (!file || !fgets(comm, sizeof(comm), file))
		snprintf(comm, sizeof(comm), "?");
	if (file)
		fclose(file);
	comm[strcspn(comm, "\n")] = 0;
	for (c = comm; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	return comm;
}

/* Return the length of the printable UTF-8 character at @text, or 0 if there is none. */
static int utf8_length(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	int n, i;

	if (text[0] < 0x80)
		return text[0] >= 0x20 && text[0] != 0x7f;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	n = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	/* Exclude overlong encodings, controls, surrogates, and values above the last character. */
	if (text[0] == 0xe0 || text[0] == 0xc2)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	for (i = 1; i < n; i++) {
		if (text[i] < low || text[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return n;
}

void put_json_text(FILE *out, const char *text)
{
	fputc('"', out);
	while (*text) {
		unsigned char c = *text;
		int n = utf8_length((const unsigned char *)text);

		if (c == '"' || c == '\\')
			fputc('\\', out);
		if (n)
			fwrite(text, 1, n, out);
		else
			fprintf(out, "\\u%04x", c < 0x80 ? c : 0xfffd);
		text += n ?: 1;
	}
	fputc('"', out);
}

static void put_json_string(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	put_json_text(out, text);
}

static void show_json(FILE *out, const struct refused_call *refused)
{
	fprintf(out, "{\"pid\":%d", refused->pid);
	put_json_string(out, "comm", refused->comm);
	put_json_string(out, "call", call_name(refused->call));
	fprintf(out, ",\"errno\":%d", refused->error);
	put_json_string(out, "error", error_name(refused->error));
	put_json_string(out, "name", refused->name);
	put_json_string(out, "field", refused->field);
	fprintf(out, ",\"value\":%llu", (unsigned long long)refused->value);
	put_json_string(out, "pmu", refused->pmu);
	put_json_string(out, "reason", refused->reason);
	fprintf(out, "}\n");
}

/* Fields whose values are printed in decimal; other values are masks and addresses. */
static const char *const decimal_fields[] = {
	"attr.clockid", "attr.sample_freq", "attr.sample_max_stack", "attr.sample_period",
	"attr.sample_stack_user", "attr.size", "attr.type", "cpu", "fd", "group_fd", "len",
	"length", "pid", "state.size", "state.tid", NULL
};

static bool is_decimal(const char *field)
{
	const char *const *decimal = decimal_fields;

	while (*decimal && strcmp(field, *decimal))
		decimal++;
	return *decimal;
}

/* Do not print the value of a flag: it is the word of all flags. */
static void show_value(FILE *out, const struct refused_call *refused)
{
	const char *field = refused->field;

	if (refused->value && !is_flag_field(field))
		fprintf(out, is_decimal(field) ? "(%lld) " : "(%#llx) ", (long long)refused->value);
}

void show_refusal(FILE *out, const struct refused_call *refused, bool json)
{
	if (json) {
		show_json(out, refused);
		return;
	}
	fprintf(out, "perf-why: %s[%d]: %s: %s: ", refused->comm, refused->pid,
		call_name(refused->call), error_name(refused->error));
	if (refused->pmu[0])
		fprintf(out, "PMU %s: ", refused->pmu);
	if (refused->field[0])
		fprintf(out, "%s ", refused->field);
	show_value(out, refused);
	fprintf(out, "%s\n", refused->reason);
}
