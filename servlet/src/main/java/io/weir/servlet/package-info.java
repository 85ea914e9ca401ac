/**
 * Limits the requests of an application in a servlet container.
 *
 * <p>Calls what the fronts inside applications share; is called by the container.
 */
@NullMarked
package io.weir.servlet;

import org.jspecify.annotations.NullMarked;
