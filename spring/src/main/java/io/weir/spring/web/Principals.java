package io.weir.spring.web;

import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** Reads the name of the logged-in user. */
public final class Principals {
  private static final String ANONYMOUS =
      "org.springframework.security.authentication.AnonymousAuthenticationToken";

  private Principals() {}

  /** The name of a user; null if not logged in, including Spring Security's anonymous principal. */
  static @Nullable public String name(@Nullable Principal principal) {
    return principal == null || isAnonymous(principal) ? null : principal.getName();
  }

  /** By class name, since Spring Security is optional. */
  private static boolean isAnonymous(Principal principal) {
    for (Class<?> type = principal.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals(ANONYMOUS)) {
        return true;
      }
    }
    return false;
  }
}
