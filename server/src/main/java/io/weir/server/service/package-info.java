/**
 * The HTTP interface of the service port
 *
 * <p>checks, forward authentication, costs known afterwards.:Calls http and the decision path.
 */
@NullMarked
package io.weir.server.service;

import org.jspecify.annotations.NullMarked;
