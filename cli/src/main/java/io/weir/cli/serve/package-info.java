/**
 * The settings of {@code weir serve}: flags, environment variables and {@code weir.yaml}, in one
 * table for all three.
 *
 * <p>Uses {@code io.weir.server} for the settings' values. Used by the command only.
 */
@NullMarked
package io.weir.cli.serve;

import org.jspecify.annotations.NullMarked;
