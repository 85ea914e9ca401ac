/**
 * The live view of a node in a terminal: asks the admin port once a second, and draws.
 *
 * <p>Called by the command. Knows the admin port by what it answers, and nothing of the server.
 */
@NullMarked
package io.weir.cli.top;

import org.jspecify.annotations.NullMarked;
