/** Web applications in an embedded Tomcat, which are undeployed. */
@NullMarked
package org.example.shop.web;

import org.jspecify.annotations.NullMarked;
