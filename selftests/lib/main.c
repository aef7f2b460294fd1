// SPDX-License-Identifier: GPL-2.0-only
/* main() of the programs that have TEST_MAIN(). "-l" lists their tests. */
#include <string.h>

#include "harness.h"

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-l")) {
		harness_list();
		return 0;
	}
	return test_main(argc, argv);
}
