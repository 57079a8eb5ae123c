/** A shop whose schema is migrated, by Flyway or Liquibase, while its sessions go on. */
@NullMarked
package org.example.shop.migrate;

import org.jspecify.annotations.NullMarked;
