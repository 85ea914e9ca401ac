package io.weir.server.rls;

import io.weir.server.grpc.ProtoReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The {@code .proto} files of this port, compiled to a {@code FileDescriptorSet}. */
final class ProtoFiles {
  private static final int NAME = 1 << 3 | ProtoReader.BYTES;
  private static final int MAX_NAME_BYTES = 1024;

  private final Map<String, ProtoFile> files = new LinkedHashMap<>();
  private final Map<String, ProtoFile> bySymbol = new HashMap<>();
  private final List<String> services = new ArrayList<>();

  private ProtoFiles(byte[] set) {
    ProtoReader in = new ProtoReader(set, 0, set.length);
    for (int tag = in.next(); tag != 0; tag = in.next()) {
      if (tag == (1 << 3 | ProtoReader.BYTES)) {
        add(in.bytes());
      } else {
        in.skip(tag);
      }
    }
  }

  /** Read at the first reflection request: most ports never get one. */
  static ProtoFiles get() {
    return Read.FILES;
  }

  /** The file of that name and all files that it imports; empty if it is unknown. */
  List<byte[]> named(String name) {
    return withImports(files.get(name));
  }

  /**
   * The file that declares a message, an enum, a service or a method, and all files that it
   * imports.
   */
  List<byte[]> declaring(String symbol) {
    return withImports(bySymbol.get(symbol));
  }

  /** The full names of all services. */
  List<String> services() {
    return services;
  }

  private List<byte[]> withImports(@Nullable ProtoFile file) {
    Set<ProtoFile> all = new LinkedHashSet<>();
    collect(file, all);
    return all.stream().map(ProtoFile::bytes).toList();
  }

  private void collect(@Nullable ProtoFile file, Set<ProtoFile> all) {
    if (file != null && all.add(file)) {
      file.imports().forEach(name -> collect(files.get(name), all));
    }
  }

  private void add(byte[] bytes) {
    ProtoFile file = new ProtoFile(bytes, new ArrayList<>());
    String name = "";
    String prefix = "";
    ProtoReader in = new ProtoReader(bytes, 0, bytes.length);
    for (int tag = in.next(); tag != 0; tag = in.next()) {
      switch (tag) {
        case NAME -> name = in.text(MAX_NAME_BYTES, "name");
        case 2 << 3 | ProtoReader.BYTES -> prefix = in.text(MAX_NAME_BYTES, "package") + ".";
        case 3 << 3 | ProtoReader.BYTES -> file.imports.add(in.text(MAX_NAME_BYTES, "dependency"));
        case 4 << 3 | ProtoReader.BYTES -> declare(in, prefix, file, Kind.MESSAGE);
        case 5 << 3 | ProtoReader.BYTES -> declare(in, prefix, file, Kind.ENUM);
        case 6 << 3 | ProtoReader.BYTES -> declare(in, prefix, file, Kind.SERVICE);
        default -> in.skip(tag);
      }
    }
    files.put(name, file);
  }

  /** Declares the symbols of a descriptor; the compiler writes the name before the members. */
  private void declare(ProtoReader in, String prefix, ProtoFile file, Kind kind) {
    int outer = in.enter();
    String name = prefix;
    for (int tag = in.next(); tag != 0; tag = in.next()) {
      if (tag == NAME) {
        name = prefix + in.text(MAX_NAME_BYTES, "name");
        bySymbol.put(name, file);
        if (kind == Kind.SERVICE) {
          services.add(name);
        }
      } else if (kind == Kind.MESSAGE && tag == (3 << 3 | ProtoReader.BYTES)) {
        declare(in, name + ".", file, Kind.MESSAGE);
      } else if (kind == Kind.MESSAGE && tag == (4 << 3 | ProtoReader.BYTES)) {
        declare(in, name + ".", file, Kind.ENUM);
      } else if (kind == Kind.SERVICE && tag == (2 << 3 | ProtoReader.BYTES)) {
        declare(in, name + ".", file, Kind.METHOD);
      } else {
        in.skip(tag);
      }
    }
    in.leave(outer);
  }

  private enum Kind {
    MESSAGE,
    ENUM,
    SERVICE,
    METHOD
  }

  /** One file; compared by identity. */
  private static final class ProtoFile {
    private final byte[] bytes;
    private final List<String> imports;

    ProtoFile(byte[] bytes, List<String> imports) {
      this.bytes = bytes;
      this.imports = imports;
    }

    byte[] bytes() {
      return bytes;
    }

    List<String> imports() {
      return imports;
    }
  }

  private static final class Read {
    private static final ProtoFiles FILES = new ProtoFiles(bytes("services.desc"));
  }

  /** A resource that the build has put beside this class. */
  static byte[] bytes(String name) {
    try (InputStream in = ProtoFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing in this build of Weir");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
