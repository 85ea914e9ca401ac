/**
 * The settings of {@code weir serve} as people write them: flags, variables of the environment and
 * {@code weir.yaml}, one table for all three.
 *
 * <p>Calls {@code io.weir.server} for what can be set. Called by the command alone.
 */
@NullMarked
package io.weir.cli.serve;

import org.jspecify.annotations.NullMarked;
