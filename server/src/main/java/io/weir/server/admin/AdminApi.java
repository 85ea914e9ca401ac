package io.weir.server.admin;

import io.weir.server.Arbiter;
import io.weir.server.Settings;
import io.weir.server.http.Router;

/** The admin port. */
public final class AdminApi {
  public AdminApi(Arbiter arbiter, Settings settings) {}

  /** Adds its routes. */
  public void addTo(Router router) {}
}
